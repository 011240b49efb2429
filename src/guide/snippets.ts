import { readFileSync } from 'node:fs'
import { isLoopback } from '../kernel/networks.ts'
import { shellQuoted } from './reference/curl.ts'

/**
 * Ways for a program to get a token: on its own behalf, or for a user who decides in a browser on the same or another
 * device.
 */
export type Flow = keyof typeof PROGRAMS

/** App and origins of the service, without trailing slashes. */
export type SnippetApp = {
  clientId: string
  clientType: 'confidential' | 'public'
  /** Registered method. Defaults to `client_secret_basic` for confidential apps. */
  authentication?: 'client_secret_basic' | 'client_secret_post' | 'none'
  baseUrl: string
  authUrl: string
  /**
   * Redirect URI of the app. Programs can listen on loopback only and use `EXAMPLE_REDIRECT_URI` instead of any other
   * address.
   */
  redirectUri?: string | undefined
}

export type Snippet = {
  language: (typeof LANGUAGES_OF_SNIPPETS)[number]['id']
  /** Name of the programming language, identical in every locale. */
  label: string
  /** Suggested file name. */
  file: string
  text: string
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)

/** Programming languages in display order. `escape` makes a value safe inside the quotes of the templates. */
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

/** File name of the template for each flow, in the flow's folder below `snippets/`. */
const PROGRAMS = { 'client-credentials': 'catalog', code: 'sign-in', device: 'device' } as const

/** Redirect URI for programs of the code flow if the app has no loopback address. It must be registered. */
export const EXAMPLE_REDIRECT_URI = 'http://127.0.0.1:8976/callback'

/** Placeholders in the templates for an app's values. */
const EXAMPLE_VALUES = valuesOf({
  clientId: 'mk_example',
  clientType: 'confidential',
  baseUrl: 'http://localhost:14790',
  authUrl: 'http://localhost:14790',
})
const EXAMPLES = new RegExp(EXAMPLE_VALUES.map((value) => RegExp.escape(value)).join('|'), 'g')

/** Line that applies only to the client authentication methods listed in its trailing comment. */
const CONDITIONAL_LINE = /^(.*?)\s*(?:\/\/|#) only ([\w, ]+)$/

/**
 * Returns complete programs that get a token in a flow and make a request with it. They use only the standard library
 * or, in JavaScript, the client package that the service serves. They read the secret from the environment (`CLIENT_SECRET`).
 *
 * @returns an empty list for a public app and `client-credentials`, which it cannot use
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

/** Returns the redirect URI for programs of the code flow: the given one if a program can listen on it. */
export function snippetRedirectUri(redirectUri: string | undefined): string {
  const url = redirectUri === undefined ? null : URL.parse(redirectUri)
  const isServiceUrl =
    url?.protocol === 'http:' && isLoopback(url.hostname) && url.port !== '' && url.search === ''
  return isServiceUrl && redirectUri !== undefined ? redirectUri : EXAMPLE_REDIRECT_URI
}

/** Replacements for an app, in a fixed order. A placeholder that contains another comes first. */
function valuesOf({ clientId, baseUrl, authUrl, redirectUri }: SnippetApp): string[] {
  const callback = snippetRedirectUri(redirectUri)
  const { hostname, port, pathname } = new URL(callback)
  return [
    clientId,
    `${authUrl}/oidc`,
    `${baseUrl}/api/v3/open/search?q=clannad`,
    `${baseUrl}/assets/sdk.js`,
    encodeURIComponent(callback),
    callback,
    hostname.replace(/^\[|\]$/g, ''),
    port,
    pathname,
    baseUrl,
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
