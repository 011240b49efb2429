// What .NET has and Mono has not, as far as the snippets use it: their JSON and three functions. Mono's compiler knows C# 6 and little more.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net.Http;
using System.Threading.Tasks;
using System.Web.Script.Serialization;

static class SHA256
{
    public static byte[] HashData(byte[] bytes)
    {
        using (var hash = System.Security.Cryptography.SHA256.Create()) return hash.ComputeHash(bytes);
    }
}

static class RandomNumberGenerator
{
    public static byte[] GetBytes(int length)
    {
        var bytes = new byte[length];
        using (var source = System.Security.Cryptography.RandomNumberGenerator.Create()) source.GetBytes(bytes);
        return bytes;
    }
}

namespace System.Net.Http.Json
{
    static class Extensions
    {
        public static async Task<T> ReadFromJsonAsync<T>(this HttpContent content)
        {
            var text = await content.ReadAsStringAsync();
            return (T)(object)new System.Text.Json.JsonElement(new JavaScriptSerializer().DeserializeObject(text));
        }
    }
}

namespace System.Text.Json
{
    struct JsonElement
    {
        readonly object value;
        public JsonElement(object value) { this.value = value; }

        public JsonElement GetProperty(string name)
        {
            JsonElement found;
            if (!TryGetProperty(name, out found)) throw new KeyNotFoundException(name);
            return found;
        }

        public bool TryGetProperty(string name, out JsonElement found)
        {
            object inner;
            var isThere = ((Dictionary<string, object>)value).TryGetValue(name, out inner);
            found = new JsonElement(inner);
            return isThere;
        }

        public string GetString() { return (string)value; }
        public int GetInt32() { return (int)value; }
        public IEnumerable<JsonElement> EnumerateArray() { return ((object[])value).Select(one => new JsonElement(one)); }
        public override string ToString() { return Convert.ToString(value, CultureInfo.InvariantCulture); }
    }
}
