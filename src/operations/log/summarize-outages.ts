import type { LoggerOptions } from 'pino'
import { isUnavailable } from '../../kernel/is-unavailable.ts'

/** Interval, in milliseconds, at which repeated lines are summarized. */
const SUMMARY_MS = 10_000

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

/**
 * Creates a pino hook that keeps an outage from filling the log. The first line with a message is written at once.
 * Repeats are summarized every ten seconds as the latest line with a `count`, until they stop. Lines with an `id`,
 * such as those about an email, are always written.
 *
 * @param intervalMs interval, for tests
 */
export function summarizeOutages(intervalMs = SUMMARY_MS): LogMethod {
  const counted = new Map<string, { count: number; facts: object }>()
  return function logMethod(args, method) {
    // as: pino's types only allow format arguments
    const [facts, message] = args as unknown[]
    if (typeof message !== 'string' || !isAboutOutage(facts)) return method.apply(this, args)
    const known = counted.get(message)
    if (known) {
      known.count += 1
      known.facts = facts
      return
    }
    method.apply(this, args)
    const row = { count: 0, facts }
    counted.set(message, row)
    const timer = setInterval(() => {
      if (row.count > 0) return write()
      clearInterval(timer)
      counted.delete(message)
    }, intervalMs).unref()
    const write = () => {
      // as: pino's types only allow format arguments
      method.apply(this, [{ ...row.facts, count: row.count }, message] as unknown as typeof args)
      row.count = 0
    }
  }
}

const isAboutOutage = (facts: unknown): facts is object =>
  typeof facts === 'object' &&
  facts !== null &&
  !('id' in facts) &&
  (('err' in facts && isUnavailable(facts.err)) || ('status' in facts && facts.status === 503))
