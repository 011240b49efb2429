import type { KoaContextWithOIDC } from 'oidc-provider'

/** Minimum interval, in milliseconds, between two polls of a device. The response asks for five seconds. */
const MIN_POLL_INTERVAL_MS = 500
/** Maximum number of remembered device codes. The oldest are evicted. */
const MAX_DEVICE_CODES = 10_000

/**
 * Responds with `slow_down` to a device that polls too fast (RFC 8628 §3.5), because the library never does. Only
 * `authorization_pending` is replaced, so tokens are never delayed. Each process counts only its own polls.
 */
export function enforcePollInterval(now = () => performance.now()) {
  const polls = new Map<string, number>()
  return (ctx: KoaContextWithOIDC) => {
    const code = ctx.oidc?.params?.['device_code']
    if (ctx.oidc?.route !== 'token' || typeof code !== 'string' || !isPending(ctx.body)) return
    const last = polls.get(code)
    polls.delete(code)
    polls.set(code, now())
    const [oldest] = polls.keys()
    if (polls.size > MAX_DEVICE_CODES && oldest !== undefined) polls.delete(oldest)
    if (last !== undefined && now() - last < MIN_POLL_INTERVAL_MS)
      ctx.body = {
        error: 'slow_down',
        error_description: 'wait five seconds longer between requests',
      }
  }
}

const isPending = (body: unknown) =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  body.error === 'authorization_pending'
