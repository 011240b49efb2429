import { fetchOutbound } from '../../outbound/fetch-outbound.ts'
import { readLimited } from '../../outbound/read-limited.ts'

/** Maximum size of a response of a provider, in bytes. Discovery documents have a few kilobytes. */
const MAX_RESPONSE_BYTES = 256 * 1_024

/** Statuses whose responses have no body. */
const WITHOUT_BODY = new Set([204, 205, 304])

/** A provider sent more than `MAX_RESPONSE_BYTES`. */
class ResponseTooLargeError extends Error {}

/** A provider could not be reached, or did not respond in time. */
export class UnreachableError extends Error {}

type Request = {
  method: string
  headers: Record<string, string>
  body?: RequestInit['body'] | undefined
  signal?: AbortSignal | undefined
}

/**
 * Sends a request to a provider within a deadline, through the proxy if there is one. Redirects are not followed: the
 * library rejects them, because they could lead to a private address.
 *
 * @throws {UnreachableError} if there is no complete response in time
 */
export async function fetchUpstream(
  url: string,
  { method, headers, body, signal }: Request,
  deadline: AbortSignal,
): Promise<Response> {
  try {
    const response = await fetchOutbound(url, {
      method,
      headers,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      ...(body != null && { body }),
    })
    const { status } = response
    const bytes = await readLimited(
      response,
      MAX_RESPONSE_BYTES,
      () => new ResponseTooLargeError('The response is too large'),
    )
    return new Response(WITHOUT_BODY.has(status) ? null : bytes, {
      status,
      headers: response.headers,
    })
  } catch (error) {
    if (error instanceof ResponseTooLargeError) throw error
    throw new UnreachableError('The provider sent no complete response', { cause: error })
  }
}
