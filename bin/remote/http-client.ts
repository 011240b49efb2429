import { Failure } from '../failure.ts'
import { fetchOutbound } from '../../src/outbound/fetch-outbound.ts'
import { ProxyError } from '../../src/outbound/proxy-error.ts'
import { printable } from '../../src/kernel/printable.ts'

/** Response of a server. `body` is empty unless the response is a JSON object. */
export type HttpResponse = { status: number; headers: Headers; body: Record<string, unknown> }

/** The server sent no response. A retry may succeed. */
export class Unreachable extends Failure {
  override name = 'Unreachable'
}

/**
 * Maximum duration of a request, in milliseconds. The lock on the credentials has a longer timeout than the two
 * requests made while it is held.
 */
const TIMEOUT_MS = 10_000

/**
 * Sends a request. Does not follow redirects, because tokens must not go to a different server.
 *
 * @throws {Failure} for a redirect, or without a response
 */
export async function sendRequest(url: string, init: RequestInit = {}): Promise<HttpResponse> {
  try {
    const response = await fetchOutbound(url, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const location = response.headers.get('location')
    if (response.status >= 300 && response.status < 400 && location !== null)
      throw new Failure(
        `${url} redirects to ${printable(location)}. Use the address of that server.`,
      )
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: parseObject(text) }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Unreachable(`No response from ${new URL(url).origin}: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}

/** Posts a form to an endpoint of the OpenID provider. */
export const postForm = (url: string, form: Record<string, string>) =>
  sendRequest(url, { method: 'POST', body: new URLSearchParams(form) })

/** Returns the string member with a given name, if any. */
export function stringMember(body: Record<string, unknown>, name: string): string | undefined {
  const value = body[name]
  return typeof value === 'string' ? value : undefined
}

export function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    // as: the members of an object have unknown types
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Returns the reason why `fetch` failed, which is in the cause of its error, or in the first of several errors. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ProxyError) return error.message
  if (error.name === 'TimeoutError') return `it took longer than ${TIMEOUT_MS / 1_000} seconds`
  if (error.cause !== undefined) return reasonOf(error.cause)
  // Network errors have a code. An error without a code means that `fetch` refused to send the request, for example to
  // a mail port.
  return 'code' in error ? error.message : `the request was not sent (${error.message})`
}
