import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Creates a function that assigns request ids. The id is the caller's own `X-Request-Id` if it matches
 * `[A-Za-z0-9._-]{1,64}` (decision 0002), and otherwise a process prefix with a counter. A random id per request would
 * cost more without any benefit.
 */
export function requestIds() {
  const prefix = randomBytes(6).toString('hex')
  let last = 0
  return ({ headers }: Pick<IncomingMessage, 'headers'>) => {
    const given = headers['x-request-id']
    if (typeof given === 'string' && ACCEPTABLE.test(given)) return given
    last += 1
    return `${prefix}-${last.toString(36)}`
  }
}
