/** Maximum duration, in milliseconds, of a turn of the event loop in which nothing happened. */
const QUIET_MS = 0.3
/** Time, in milliseconds, after which a busy event loop is not waited for any longer. */
const MAX_WAIT_MS = 250

/**
 * Resolves right after a turn of the event loop that found nothing to do, so that no connection and no bytes wait to
 * be read. Closing a listener or a connection resets what waits. On a busy event loop, resolves after a while anyway.
 */
export async function quietTurn(): Promise<void> {
  const end = performance.now() + MAX_WAIT_MS
  for (let began = Infinity; ;) {
    await new Promise((resolve) => void setImmediate(resolve))
    const now = performance.now()
    if (now - began < QUIET_MS || (began !== Infinity && now > end)) return
    began = now
  }
}
