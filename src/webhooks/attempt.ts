import { decrypt } from '../kernel/encryption.ts'
import type { fetchForApps } from '../outbound/fetch-for-apps.ts'
import { ProxyError } from '../outbound/proxy-error.ts'
import type { AttemptResult, Claimed } from './delivery-queries.ts'
import { secretName } from './endpoint-queries.ts'
import { readEndpointUrl } from './endpoint-url.ts'
import { webhookHeaders } from './signature.ts'

/** Default response timeout, in milliseconds. */
const TIMEOUT_MS = 10_000
/** Maximum length of a stored error. */
const MAX_ERROR_LENGTH = 500

export type AttemptOptions = {
  send: ReturnType<typeof fetchForApps>
  /** Whether this service runs on a developer's own machine. */
  isLocal: boolean
  secretKey: string | undefined
  /** Time of the database, in milliseconds since 1970. */
  now: () => number
  /** Response timeout, in milliseconds. Must be shorter than the lease of a delivery. */
  timeoutMs?: number
}

/**
 * Sends a delivery once. Redirects are not followed, and the body of the response is not read: only its status counts.
 *
 * @returns whether the receiver accepted it, and what the log shows
 */
export async function attemptDelivery(
  { send, isLocal, secretKey, now, timeoutMs = TIMEOUT_MS }: AttemptOptions,
  claimed: Claimed,
): Promise<AttemptResult & { isAccepted: boolean }> {
  const began = performance.now()
  const durationMs = () => Math.round(performance.now() - began)
  try {
    // The rules may have become stricter since the endpoint was saved.
    const url = readEndpointUrl(claimed.url, isLocal)
    if (url === undefined) throw new Error('The address is not allowed')
    const body = JSON.stringify({
      type: claimed.event,
      timestamp: claimed.created_at.toISOString(),
      data: claimed.data,
    })
    const secrets = [claimed.secret, claimed.previous_secret]
      .filter((secret) => secret !== null)
      .map((secret) => decrypt(secret, secretName(claimed.endpoint_id), secretKey))
    const message = { id: claimed.message_id, timestamp: Math.floor(now() / 1_000), body }
    const response = await send(url, {
      method: 'POST',
      headers: { ...webhookHeaders(message, secrets), 'user-agent': 'mokuroku-webhooks' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    // Ends the connection, however much the receiver sends.
    await response.body?.cancel().catch(() => {})
    const { status, ok } = response
    return { isAccepted: ok, status, error: null, durationMs: durationMs() }
  } catch (error) {
    return {
      isAccepted: false,
      status: null,
      error: describe(error, timeoutMs),
      durationMs: durationMs(),
    }
  }
}

/** Describes why there was no response, on one line. */
function describe(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error).slice(0, MAX_ERROR_LENGTH)
  // The operator's network is not the developer's concern.
  if (error instanceof ProxyError) return 'The request could not leave the service'
  if (error.name === 'TimeoutError') return `No response within ${timeoutMs / 1_000} seconds`
  const cause = error.cause instanceof Error ? error.cause : error
  const text = 'code' in cause ? `${cause.message} (${String(cause.code)})` : cause.message
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, MAX_ERROR_LENGTH)
    .toWellFormed()
}
