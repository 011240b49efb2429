/** Maximum difference, in milliseconds, between two rounded estimates of the end of the same window. */
const ROUNDING = 2_000

/** Creates the limiters of an app, one for each audience, because the server counts each of them separately. */
export function createLimits() {
  const limiters = new Map()
  return (audience) => {
    const limiter = limiters.get(audience) ?? createLimiter()
    limiters.set(audience, limiter)
    return limiter
  }
}

/**
 * Delays requests to stay within the rate limit that responses describe. Until a response has described it, requests
 * are sent one at a time.
 */
function createLimiter() {
  const queue = []
  let limit = 1
  let left = 1
  let ends = Infinity
  let inFlight = 0
  let timer

  function run() {
    clearTimeout(timer)
    if (Date.now() >= ends) {
      left = limit - inFlight
      ends = Infinity
    }
    // The window is unknown, and no response is due that would describe it.
    if (left <= 0 && inFlight === 0 && ends === Infinity) left = 1
    for (; left > 0 && queue.length > 0; left -= 1) {
      inFlight += 1
      queue.shift()()
    }
    if (queue.length > 0 && ends < Infinity)
      timer = setTimeout(run, Math.max(0, ends - Date.now()) + 50)
  }

  return {
    /** Resolves when the next request may be sent. */
    enter: (signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        const stop = () => {
          const index = queue.indexOf(go)
          if (index >= 0) queue.splice(index, 1)
          reject(signal.reason)
        }
        const go = () => {
          signal?.removeEventListener('abort', stop)
          resolve()
        }
        signal?.addEventListener('abort', stop, { once: true })
        queue.push(go)
        run()
      }),
    /** Ends a request. @param headers of its response, if there was one */
    leave(headers) {
      inFlight -= 1
      const [total, remaining, seconds] = ['limit', 'remaining', 'reset'].map((name) =>
        Number.parseInt(headers?.get(`x-ratelimit-${name}`) ?? '', 10),
      )
      if (total >= 0 && remaining >= 0 && seconds >= 0) {
        const end = Date.now() + seconds * 1000
        const isSame = Math.abs(end - ends) < ROUNDING
        // Requests in flight may not be counted yet, and responses overtake each other.
        left = isSame ? Math.min(left, remaining - inFlight) : remaining - inFlight
        ends = isSame ? Math.max(ends, end) : end
        limit = total
      }
      run()
    },
  }
}
