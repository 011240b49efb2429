import { isLoopback } from '../kernel/loopback.ts'
import { inCurl } from './snippets/curl.ts'
import { inGo } from './snippets/go.ts'
import { inJavaScript } from './snippets/javascript.ts'
import type { Flow, SnippetParts } from './snippets/parts.ts'
import { inPython } from './snippets/python.ts'

/** An app, and where the service is, without slashes at the end. */
export type SnippetApp = {
  clientId: string
  clientType: 'confidential' | 'public'
  /** As it is registered; missing: `client_secret_basic` with a secret. */
  authentication?: 'client_secret_basic' | 'client_secret_post' | 'none'
  baseUrl: string
  authUrl: string
  /** One of the app's; a program on somebody's device needs one of loopback, and takes `EXAMPLE_REDIRECT_URI` else. */
  redirectUri?: string | undefined
}

export type Snippet = {
  language: (typeof LANGUAGES_OF_SNIPPETS)[number]['id']
  /** The name of the language, the same in every language of people. */
  label: string
  /** What a file with it is called. */
  file: string
  text: string
}

/** The languages of snippets, in the order they are shown. */
const LANGUAGES_OF_SNIPPETS = [
  { id: 'curl', label: 'curl', extension: 'sh', write: inCurl },
  { id: 'javascript', label: 'JavaScript', extension: 'mjs', write: inJavaScript },
  { id: 'python', label: 'Python', extension: 'py', write: inPython },
  { id: 'go', label: 'Go', extension: 'go', write: inGo },
] as const

/** What the programs of the code flow listen on when the app has no address of loopback; it has to be registered. */
export const EXAMPLE_REDIRECT_URI = 'http://127.0.0.1:8976/callback'

const FILES: Record<Flow, string> = {
  'client-credentials': 'catalog',
  code: 'sign-in',
  device: 'device',
}

/**
 * Whole programs that come by a token in a flow and ask for something with it, of the standard library alone. A secret is
 * read from the environment (`CLIENT_SECRET`): it stands in none of them.
 *
 * @returns none for a public app and `client-credentials`, which it cannot use
 */
export function snippetsOf(app: SnippetApp, flow: Flow): Snippet[] {
  if (flow === 'client-credentials' && app.clientType === 'public') return []
  const parts = partsOf(app)
  return LANGUAGES_OF_SNIPPETS.map(({ id, label, extension, write }) => ({
    language: id,
    label,
    file: `${FILES[flow]}.${extension}`,
    text: write(flow, parts),
  }))
}

/** The redirect URI that the programs of the code flow listen on: the one that is given, where a program can listen on it. */
export function snippetRedirectUri(redirectUri: string | undefined): string {
  const url = redirectUri === undefined ? null : URL.parse(redirectUri)
  const isOurs =
    url?.protocol === 'http:' && isLoopback(url.hostname) && url.port !== '' && url.search === ''
  return isOurs && redirectUri !== undefined ? redirectUri : EXAMPLE_REDIRECT_URI
}

function partsOf(app: SnippetApp): SnippetParts {
  const redirectUri = snippetRedirectUri(app.redirectUri)
  const { hostname, port, pathname } = new URL(redirectUri)
  const secrets = {
    client_secret_basic: 'header',
    client_secret_post: 'form',
    none: undefined,
  } as const
  const { clientType, authentication = clientType === 'public' ? 'none' : 'client_secret_basic' } =
    app
  return {
    clientId: app.clientId,
    secret: secrets[authentication],
    issuer: `${app.authUrl}/oidc`,
    search: `${app.baseUrl}/api/v3/open/search?q=clannad`,
    redirectUri,
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    path: pathname,
  }
}
