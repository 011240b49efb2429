import type { KoaContextWithOIDC } from 'oidc-provider'

/** Milliseconds between two questions of a device that no program has a reason to go below; it is to leave five seconds. */
const MIN_POLL_INTERVAL_MS = 500
/** Device codes that are remembered; when there are more the oldest is forgotten. */
const MAX_DEVICE_CODES = 10_000

/**
 * Tells a device that asks again at once to slow down (RFC 8628 §3.5), which the library never does. What it waits for is not
 * put off: only `authorization_pending` becomes `slow_down`. Each process remembers what it was asked itself.
 */
export function enforcePollInterval(now = () => performance.now()) {
  const asked = new Map<string, number>()
  return (ctx: KoaContextWithOIDC) => {
    const code = ctx.oidc?.params?.['device_code']
    if (ctx.oidc?.route !== 'token' || typeof code !== 'string' || !isPending(ctx.body)) return
    const last = asked.get(code)
    asked.delete(code)
    asked.set(code, now())
    const [oldest] = asked.keys()
    if (asked.size > MAX_DEVICE_CODES && oldest !== undefined) asked.delete(oldest)
    if (last !== undefined && now() - last < MIN_POLL_INTERVAL_MS)
      ctx.body = {
        error: 'slow_down',
        error_description: 'wait five seconds longer between two requests',
      }
  }
}

const isPending = (body: unknown) =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  body.error === 'authorization_pending'
