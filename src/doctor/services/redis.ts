import { findRedisFacts } from '../../http/admission/leases/redis-facts.ts'
import type { MachineCheck } from '../check.ts'
import { fault, warning, type Finding } from '../finding.ts'
import { detailOf, whyOf } from '../why.ts'

/** Time, in milliseconds, after which a silent Redis counts as unreachable. */
const TIMEOUT_MS = 3_000

/** Checks that Redis responds quickly, accepts writes, and does not evict rate-limit windows. */
export const redisCheck: MachineCheck = {
  id: 'redis',
  applies: ({ config }) => config.redisUrl !== undefined,
  async run({ config: { redisUrl = '' }, limits }) {
    try {
      const { isReplica, maxBytes, policy, latencyMs } = await findRedisFacts(redisUrl, TIMEOUT_MS)
      const findings: Finding[] = []
      if (isReplica) findings.push(fault('redis.replica'))
      if (maxBytes > 0 && policy !== 'noeviction')
        findings.push(warning('redis.evicts', { params: { policy } }))
      if (latencyMs >= limits.redisMs)
        findings.push(warning('redis.slow', { params: { ms: Math.round(latencyMs) } }))
      return findings
    } catch (error) {
      return [fault('redis.unreachable', { why: whyOf(error), detail: detailOf(error) })]
    }
  },
}
