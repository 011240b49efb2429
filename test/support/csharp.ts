import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { missing, missingOnPath } from './tools.ts'

const SHIM = fileURLToPath(new URL('./mono/shim.cs', import.meta.url))
const LIBRARIES = ['System.Net.Http', 'System.Web', 'System.Web.Extensions']
const OF_MONO = LIBRARIES.map((name) => `/usr/lib/mono/4.5/${name}.dll`)
const PACKAGES =
  'mono-mcs libmono-system-net-http4.0-cil libmono-system-web4.0-cil libmono-system-web-extensions4.0-cil'

const hasDotnet = missingOnPath('dotnet', 'dotnet-sdk-10.0') === false

/**
 * How a file of C# statements is run: by .NET 10 as it is; else by Mono, whose compiler is of before its syntax, so that the
 * file is written for it (`forMono`). Mono tells whether the program does what it says, and not whether .NET takes every word.
 */
export const CSHARP: {
  command: string[]
  skip: string | false
  title: string
  prepare(text: string): string
} = hasDotnet
  ? { command: ['dotnet', 'run'], skip: false, title: 'as it stands', prepare: (text) => text }
  : {
      command: [
        'bash',
        '-c',
        `mcs -nowarn:0168 -out:"$0.exe" ${LIBRARIES.map((name) => `-r:${name}`).join(' ')} "$0" '${SHIM}' && exec mono "$0.exe"`,
      ],
      skip:
        missingOnPath('mcs', PACKAGES) ||
        missing(OF_MONO.find((path) => !existsSync(path)) ?? SHIM, PACKAGES),
      title: 'in the words of Mono',
      prepare: forMono,
    }

/** The same program in C# 6: its functions are static methods beside the statements, and what they share are fields. */
function forMono(text: string): string {
  const beside: string[] = []
  const moveBeside = (code: string, pattern: RegExp, shape: (match: string) => string) =>
    code.replace(pattern, (match) => {
      beside.push(shape(match))
      return ''
    })
  let code = text
    .replaceAll(/new\(\)(?=\s*\{)/g, 'new Dictionary<string, string>')
    // It says that a value is not null after all.
    .replaceAll(/(?<=[\w)\]])!(?=[;,)\s])/g, '')
  const usings = [...code.matchAll(/^using [\w.]+;$/gm)].map(([line]) => line)
  code = code.replaceAll(/^using [\w.]+;\n/gm, '').replaceAll('using var ', 'var ')
  code = moveBeside(code, /^async Task<JsonElement> [^]*?^\}\n/gm, (match) => `static ${match}`)
  code = moveBeside(code, /^string \w+\([^]*?;\n/gm, (match) => `static ${match}`)
  code = moveBeside(code, /^const string .*;\n/gm, (match) => match)
  code = moveBeside(code, /^var secret = .*;\n/gm, (match) =>
    match.replace('var', 'static readonly string'),
  )
  code = moveBeside(code, /^var http = .*;\n/gm, (match) =>
    match.replace('var', 'static readonly HttpClient'),
  )
  const found = [...code.matchAll(/out var (\w+)/g)].map(([, name]) => `JsonElement ${name};\n`)
  return `${[...new Set([...usings, ...IMPLICIT])].join('\n')}
static class Program
{
static void Main() { Run().GetAwaiter().GetResult(); }
static async Task Run()
{
${found.join('')}${code.replaceAll('out var ', 'out ')}
}
${beside.join('\n')}
}
`
}

/** Of those that projects of .NET have by themselves. */
const IMPLICIT = ['', '.Collections.Generic', '.Linq', '.Net.Http', '.Threading.Tasks'].map(
  (name) => `using System${name};`,
)
