import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Makes the function that names each request: the caller's own `X-Request-Id` when it is 1–64 of `[A-Za-z0-9._-]`
 * (decision 0002), else a prefix of this process and a number. A random id each time would cost more and be worth no more.
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
