import { request, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'

export type RawResponse = { status: number; headers: IncomingHttpHeaders; text: string }
type RawRequest = {
  method?: string
  headers?: Record<string, string | string[]>
  body?: string | Buffer
  /** Source address of the request: any of 127.0.0.0/8. */
  from?: string
}

/** Milliseconds after which a response counts as hanging. */
const TIMEOUT_MS = 20_000
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Sends a request unchanged. `fetch` would normalize its URL, join its headers and follow redirects. */
export function send(
  site: string,
  path: string,
  { method = 'GET', headers = {}, body = '', from }: RawRequest = {},
): Promise<RawResponse> {
  const length = body.length === 0 ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      site,
      {
        path,
        method,
        headers: { ...headers, ...length },
        timeout: TIMEOUT_MS,
        agent: false,
        ...(from !== undefined && { localAddress: from }),
      },
      (response) => {
        const { statusCode: status = 0, headers: received } = response
        text(response).then((body) => resolve({ status, headers: received, text: body }), reject)
      },
    )
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`${method} ${path.slice(0, 200)} hangs`)),
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Headers of a browser's navigation. */
export const HTML = { accept: 'text/html,application/xhtml+xml' }

/** Payloads that could run in a page or split a header. */
export const PAYLOADS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '</title></textarea><script>alert(2)</script>',
  'javascript:alert(3)//"onfocus=alert(3) autofocus x="',
  '\r\nSet-Cookie: stolen=1\r\n\r\n<script>alert(4)</script>',
  '{{constructor.constructor("alert(5)")()}}<b>',
]

/** Returns parts of payloads that a page contains unescaped, including attributes they break out into. */
export function unescapedIn(html: string): string[] {
  return [
    /<script>/i,
    /<img src=x/i,
    /<svg(?! viewBox="0 0 20 20")/i,
    /<b>/i,
    /<\/textarea>/i,
    /"\s*onfocus=/i,
    /(?:href|src|action)="\s*javascript:/i,
  ].flatMap((sign) => sign.exec(html)?.[0] ?? [])
}
