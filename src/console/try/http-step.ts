import type { FastifyInstance } from 'fastify'
import { parseJsonObject } from '../../kernel/is-json-object.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'

export type ApiTryRequest = {
  method: 'GET' | 'POST'
  /** Path and query on this service. */
  path: string
  headers?: Record<string, string>
  form?: Record<string, string>
}

/** Request and response as shown, with secrets, codes and tokens masked. */
export type HttpStep = {
  title: string
  request: string
  response: string
  /** Unmasked response, for the next step. Never shown. */
  body: Record<string, unknown>
  status: number
}

/** Parts of a step that are shown. */
export type ShownStep = Pick<HttpStep, 'title' | 'request' | 'response'>

/** Target of the requests: this process, with the viewer's IP address. */
export type TryTarget = { server: FastifyInstance; apiUrl: string; authUrl: string }

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

/** Sends one request in a flow and records it with its response. */
export async function tryStep(
  { server, apiUrl, authUrl }: TryTarget,
  title: string,
  request: ApiTryRequest,
): Promise<HttpStep> {
  const { host } = new URL(authUrl)
  const body = request.form && new URLSearchParams(request.form).toString()
  const headers = {
    host,
    accept: 'application/json',
    ...request.headers,
    ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
  }
  const response = await server.inject({
    method: request.method,
    url: request.path,
    headers,
    remoteAddress: apiUrl,
    ...(body !== undefined && { payload: body }),
  })
  const parsed = parseJsonObject(response.body) ?? {}
  return {
    title,
    status: response.statusCode,
    request: [
      `${request.method} ${authUrl}${request.path}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${maskHeader(name, value)}`),
      ...(request.form ? ['', maskedForm(request.form)] : []),
    ].join('\n'),
    response: [
      `HTTP ${response.statusCode}`,
      ...HEADERS.flatMap((name) => {
        const value = response.headers[name]
        return value === undefined ? [] : [`${name}: ${String(value)}`]
      }),
      '',
      JSON.stringify(masked(parsed), null, 2).slice(0, MAX_SHOWN),
    ].join('\n'),
    body: parsed,
  }
}

export const stepList = ({ messages: { console: texts } }: PageContext, steps: ShownStep[]): Html =>
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

const maskedForm = (form: Record<string, string>) =>
  Object.entries(form)
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
