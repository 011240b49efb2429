import { errorOf, MokurokuError } from './error.js'

/** Waits. Rejects as soon as the signal aborts. */
export const sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })

/** Sends one request and reads the response. @throws {MokurokuError} unless it succeeds or is a 304 */
export async function request(url, init, { fetch = globalThis.fetch, timeout = 30_000, signal }) {
  const limit = AbortSignal.timeout(timeout)
  try {
    const signals = signal ? [limit, signal] : [limit]
    const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) })
    const text = await response.text()
    if (response.ok || response.status === 304) return { response, text }
    throw errorOf(response, text)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof MokurokuError) throw error
    const [code, message] = limit.aborted
      ? ['TIMEOUT', `No response within ${timeout} ms.`]
      : ['NETWORK', 'The server cannot be reached.']
    throw new MokurokuError(code, message, { cause: error, retryable: true })
  }
}

/** Retries an attempt after temporary failures, no earlier than `Retry-After` permits. */
export async function repeat(attempt, { retries = 3, maxWait = 90, signal }) {
  for (let failures = 0; ; failures += 1)
    try {
      return await attempt()
    } catch (error) {
      const { retryable, retryAfter = 2 ** failures / 4 } = error
      if (!retryable || failures >= retries || retryAfter > maxWait) throw error
      // Jitter, for clients that were refused at the same moment.
      await sleep((retryAfter + Math.random() * Math.min(retryAfter, 1)) * 1000, signal)
    }
}
