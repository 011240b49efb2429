import { DEVICE_GRANT_TYPE, lines, quoted, type Flow, type SnippetParts } from './parts.ts'

/** A program for .NET 8 or newer, whose projects import `System` and its like by themselves. */
export function inCsharp(flow: Flow, parts: SnippetParts): string {
  if (flow === 'client-credentials') return clientCredentials(parts)
  return flow === 'code' ? code(parts) : device(parts)
}

const constants = ({ issuer, clientId, secret }: SnippetParts) =>
  `const string issuer = ${quoted(issuer)};
const string clientId = ${quoted(clientId)};${
    secret === undefined
      ? ''
      : '\nvar secret = Environment.GetEnvironmentVariable("CLIENT_SECRET");'
  }
using var http = new HttpClient();`

/** Functions that ask; in a file of statements they may stand behind their use. */
function functions({ secret }: SnippetParts): string {
  const who = {
    header: '',
    form: `
    form["client_id"] = clientId;
    form["client_secret"] = secret!;`,
    none: `
    form["client_id"] = clientId;`,
  }
  const header =
    secret === 'header'
      ? `
    var credentials = Convert.ToBase64String(Encoding.UTF8.GetBytes($"{clientId}:{secret}"));
    request.Headers.Authorization = new AuthenticationHeaderValue("Basic", credentials);`
      : ''
  return `async Task<JsonElement> Post(string path, Dictionary<string, string> form)
{${who[secret ?? 'none']}
    using var request = new HttpRequestMessage(HttpMethod.Post, issuer + path);
    request.Content = new FormUrlEncodedContent(form);${header}
    using var response = await http.SendAsync(request);
    return await response.Content.ReadFromJsonAsync<JsonElement>();
}

async Task<JsonElement> Get(string address, string token)
{
    using var request = new HttpRequestMessage(HttpMethod.Get, address);
    request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
    using var response = await http.SendAsync(request);
    response.EnsureSuccessStatusCode();
    return await response.Content.ReadFromJsonAsync<JsonElement>();
}

string Token(JsonElement answer) => answer.TryGetProperty("access_token", out var token)
    ? token.GetString()!
    : throw new Exception(answer.GetProperty("error_description").GetString());`
}

/** The namespaces it uses, one a line. */
const using = (...names: (string | false)[]) =>
  [...names, 'System.Net.Http.Headers', 'System.Net.Http.Json', 'System.Text.Json']
    .filter((name) => name !== false)
    .toSorted()
    .map((name) => `using ${name};`)
    .join('\n') + '\n'

const USERINFO = `var me = await Get(issuer + "/me", token);
Console.WriteLine($"Signed in as {me.GetProperty("name").GetString()}");
`

const clientCredentials = (parts: SnippetParts) =>
  lines(
    using(parts.secret === 'header' && 'System.Text'),
    constants(parts),
    `
var token = Token(await Post("/token", new()
{
    ["grant_type"] = "client_credentials",
    ["scope"] = "catalog:read",
}));
var found = await Get(${quoted(parts.search)}, token);
foreach (var hit in found.GetProperty("data").GetProperty("items").EnumerateArray())
    Console.WriteLine($"{hit.GetProperty("type")} {hit.GetProperty("id")} {hit.GetProperty("title")}");
`,
    functions(parts),
  )

const code = (parts: SnippetParts) =>
  lines(
    using('System.Net', 'System.Security.Cryptography', 'System.Text', 'System.Web'),
    constants(parts),
    `const string redirectUri = ${quoted(parts.redirectUri)};

var state = Random();
var verifier = Random();
var query = HttpUtility.ParseQueryString("");
query["response_type"] = "code";
query["client_id"] = clientId;
query["redirect_uri"] = redirectUri;
query["scope"] = "openid profile";
query["state"] = state;
query["code_challenge"] = Base64Url(SHA256.HashData(Encoding.ASCII.GetBytes(verifier)));
query["code_challenge_method"] = "S256";

using var listener = new HttpListener();
listener.Prefixes.Add(${quoted(`http://${new URL(parts.redirectUri).host}/`)});
listener.Start();
Console.WriteLine($"Open this address and sign in:\\n{issuer}/auth?{query}");

HttpListenerContext context;
bool isOurs;
do
{
    context = await listener.GetContextAsync();
    isOurs = context.Request.Url?.AbsolutePath == ${quoted(parts.path)};
    context.Response.StatusCode = isOurs ? 200 : 404;
    context.Response.Close(Encoding.UTF8.GetBytes("Go back to the program."), true);
} while (!isOurs);

var answer = context.Request.QueryString;
if (answer["state"] != state) throw new Exception("That is no answer to this question");
if (answer["error"] != null) throw new Exception(answer["error_description"]);

var token = Token(await Post("/token", new()
{
    ["grant_type"] = "authorization_code",
    ["code"] = answer["code"]!,
    ["code_verifier"] = verifier,
    ["redirect_uri"] = redirectUri,
}));`,
    USERINFO,
    functions(parts),
    `
string Random() => Base64Url(RandomNumberGenerator.GetBytes(32));

string Base64Url(byte[] bytes) =>
    Convert.ToBase64String(bytes).TrimEnd('=').Replace('+', '-').Replace('/', '_');`,
  )

const device = (parts: SnippetParts) =>
  lines(
    using(parts.secret === 'header' && 'System.Text'),
    constants(parts),
    `
var device = await Post("/device/auth", new() { ["scope"] = "openid profile" });
if (device.TryGetProperty("error_description", out var refusal)) throw new Exception(refusal.GetString());
Console.WriteLine($"Open {device.GetProperty("verification_uri")} and enter {device.GetProperty("user_code")}");

var interval = device.TryGetProperty("interval", out var seconds) ? seconds.GetInt32() : 5;
JsonElement answer;
while (true)
{
    await Task.Delay(TimeSpan.FromSeconds(interval));
    answer = await Post("/token", new()
    {
        ["grant_type"] = "${DEVICE_GRANT_TYPE}",
        ["device_code"] = device.GetProperty("device_code").GetString()!,
    });
    if (!answer.TryGetProperty("error", out var error)) break;
    if (error.GetString() == "slow_down") interval += 5;
    else if (error.GetString() != "authorization_pending") break;
}
var token = Token(answer);`,
    USERINFO,
    functions(parts),
  )
