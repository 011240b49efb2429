import type { FastifyInstance } from 'fastify'
import { parseJsonObject } from '../../kernel/is-json-object.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'

/** Request and response as shown, with secrets, codes and tokens masked. */
export type HttpStep = { title: string; request: string; response: string }

/** Target of the requests: this process, with the viewer's IP address. */
export type TryTarget = { server: FastifyInstance; address: string; authUrl: string }

/** Maximum number of characters of a response that are shown. */
const MAX_SHOWN = 4_000
const HEADERS = ['content-type', 'cache-control', 'www-authenticate', 'x-request-id', 'retry-after']
const SECRETS = new Set([
  'client_secret',
  'code',
  'device_code',
  'code_verifier',
  'token',
  'access_token',
  'refresh_token',
  'id_token',
])

/** Returns a `fetch` for the client package that sends requests to this process and records each with its response. */
export const fetchAndRecord =
  ({ server, address }: TryTarget, steps: HttpStep[], { messages }: PageContext): typeof fetch =>
  async (target, init = {}) => {
    const { origin, host, pathname, search } = new URL(
      target instanceof Request ? target.url : target,
    )
    // as: the package sends no other methods here
    const method = (init.method ?? 'GET') as 'GET' | 'POST'
    const payload = await new Response(init.body).text()
    const headers = { host, ...Object.fromEntries(new Headers(init.headers)) }
    const response = await server.inject({
      method,
      url: pathname + search,
      headers,
      remoteAddress: address,
      ...(payload !== '' && { payload }),
    })
    const sent = new Headers()
    for (const [name, value] of Object.entries(response.headers))
      if (value !== undefined) sent.set(name, String(value))
    const form = new URLSearchParams(payload)
    steps.push({
      title: messages.console.steps[kindOf(pathname, form)],
      request: [
        `${method} ${origin}${pathname}${search}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${maskHeader(name, value)}`),
        ...(payload === '' ? [] : ['', maskedForm(form)]),
      ].join('\n'),
      response: [
        `HTTP ${response.statusCode}`,
        ...HEADERS.flatMap((name) => (sent.has(name) ? [`${name}: ${sent.get(name)}`] : [])),
        '',
        JSON.stringify(masked(parseJsonObject(response.body) ?? {}), null, 2).slice(0, MAX_SHOWN),
      ].join('\n'),
    })
    return new Response(response.body || null, { status: response.statusCode, headers: sent })
  }

/** Returns the title of a request, by its place in the flow. */
function kindOf(path: string, form: URLSearchParams) {
  if (path === '/oidc/device/auth') return 'device'
  if (path === '/oidc/token/revocation') return 'revoke'
  if (path !== '/oidc/token') return 'call'
  if (form.has('device_code')) return 'poll'
  return form.has('refresh_token') ? 'refresh' : 'token'
}

export const stepList = ({ messages: { console: texts } }: PageContext, steps: HttpStep[]): Html =>
  html`<ol class="http-steps">${steps.map(
    ({ title, request, response }) =>
      html`<li><h2>${title}</h2><div class="exchange tiles"><div><h3>${texts.request}</h3><pre tabindex="0" aria-label="${texts.request}: ${title}">${request}</pre></div><div><h3>${texts.response}</h3><pre tabindex="0" aria-label="${texts.response}: ${title}">${response}</pre></div></div></li>`,
  )}</ol>`

/** Masks a secret but shows its beginning and length, which is enough to recognize it. */
export const maskText = (text: string) =>
  `${text.length > 20 ? text.slice(0, 4) : ''}••• (${text.length})`

function maskHeader(name: string, value: string) {
  if (name !== 'authorization') return value
  const [scheme = '', secret = ''] = value.split(' ')
  return `${scheme} ${maskText(secret)}`
}

const maskedForm = (form: URLSearchParams) =>
  [...form]
    .map(([name, value]) => `${name}=${SECRETS.has(name) ? maskText(value) : value}`)
    .join('\n&')

function masked(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      SECRETS.has(name) && typeof value === 'string' ? maskText(value) : value,
    ]),
  )
}
