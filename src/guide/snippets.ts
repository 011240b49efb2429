import { readFileSync } from 'node:fs'
import { isLoopback } from '../kernel/loopback.ts'
import { shellQuoted } from './reference/curl.ts'

/** How a program gets a token: for itself, or for a reader who decides in a browser on the same device or on another. */
export type Flow = keyof typeof PROGRAMS

/** An app, and the addresses of the service, without slashes at the end. */
export type SnippetApp = {
  clientId: string
  clientType: 'confidential' | 'public'
  /** As registered; by default `client_secret_basic` for a confidential app. */
  authentication?: 'client_secret_basic' | 'client_secret_post' | 'none'
  baseUrl: string
  authUrl: string
  /** One of the app's. Programs listen on loopback only and use `EXAMPLE_REDIRECT_URI` if it is another address. */
  redirectUri?: string | undefined
}

export type Snippet = {
  language: (typeof LANGUAGES_OF_SNIPPETS)[number]['id']
  /** Name of the language, the same in every locale. */
  label: string
  /** Name to save the program under. */
  file: string
  text: string
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)

/** The languages of snippets, in the order they are shown; `escape` makes a value safe inside the quotes of the files. */
const LANGUAGES_OF_SNIPPETS = [
  { id: 'curl', label: 'curl', extension: 'sh', escape: (text) => shellQuoted(text).slice(1, -1) },
  {
    id: 'javascript',
    label: 'JavaScript',
    extension: 'mjs',
    escape: (text) => inJson(text).replaceAll("'", String.raw`\'`),
  },
  { id: 'python', label: 'Python', extension: 'py', escape: inJson },
  { id: 'go', label: 'Go', extension: 'go', escape: inJson },
] as const satisfies {
  id: string
  label: string
  extension: string
  escape(text: string): string
}[]

/** The program of each flow, in the folder of that name below `snippets/`. */
const PROGRAMS = { 'client-credentials': 'catalog', code: 'sign-in', device: 'device' } as const

/** Where programs of the code flow listen if the app has no loopback address; it has to be registered. */
export const EXAMPLE_REDIRECT_URI = 'http://127.0.0.1:8976/callback'

/** What the files hold in place of the values of an app. */
const EXAMPLE_VALUES = valuesOf({
  clientId: 'mk_example',
  clientType: 'confidential',
  baseUrl: 'http://localhost:14790',
  authUrl: 'http://localhost:14790',
})
const EXAMPLES = new RegExp(EXAMPLE_VALUES.map((value) => RegExp.escape(value)).join('|'), 'g')

/** A line for some ways of client authentication, which a comment at its end lists. */
const CONDITIONAL_LINE = /^(.*?)\s*(?:\/\/|#) only ([\w, ]+)$/

/**
 * Whole programs that get a token in a flow and make a request with it, with nothing but the standard library. They read
 * the secret from the environment (`CLIENT_SECRET`).
 *
 * @returns none for a public app and `client-credentials`, which it cannot use
 */
export function snippetsOf(app: SnippetApp, flow: Flow): Snippet[] {
  if (flow === 'client-credentials' && app.clientType === 'public') return []
  const values = valuesOf(app)
  return LANGUAGES_OF_SNIPPETS.map(({ id, label, extension, escape }) => {
    const file = `${PROGRAMS[flow]}.${extension}`
    const program = readFileSync(new URL(`snippets/${flow}/${file}`, import.meta.url), 'utf8')
    const text = linesFor(app, program).replaceAll(EXAMPLES, (example) =>
      escape(values[EXAMPLE_VALUES.indexOf(example)] ?? example),
    )
    return { language: id, label, file, text }
  })
}

/** The redirect URI that programs of the code flow listen on: the given one if a program can listen on it. */
export function snippetRedirectUri(redirectUri: string | undefined): string {
  const url = redirectUri === undefined ? null : URL.parse(redirectUri)
  const isOurs =
    url?.protocol === 'http:' && isLoopback(url.hostname) && url.port !== '' && url.search === ''
  return isOurs && redirectUri !== undefined ? redirectUri : EXAMPLE_REDIRECT_URI
}

/** The values of an app in a program, always in the same order; one that contains another comes before it. */
function valuesOf({ clientId, baseUrl, authUrl, redirectUri }: SnippetApp): string[] {
  const address = snippetRedirectUri(redirectUri)
  const { hostname, port, pathname } = new URL(address)
  return [
    clientId,
    `${authUrl}/oidc`,
    `${baseUrl}/api/v3/open/search?q=clannad`,
    encodeURIComponent(address),
    address,
    hostname.replace(/^\[|\]$/g, ''),
    port,
    pathname,
  ]
}

function linesFor({ clientType, authentication }: SnippetApp, program: string): string {
  const method = authentication ?? (clientType === 'public' ? 'none' : 'client_secret_basic')
  return program
    .split('\n')
    .flatMap((line) => {
      const [, code, methods] = CONDITIONAL_LINE.exec(line) ?? []
      if (code === undefined || methods === undefined) return [line]
      return methods.split(', ').includes(method) ? [code] : []
    })
    .join('\n')
}
