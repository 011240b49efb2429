import { inspectReplicas } from '../../db/replicas/inspect-replicas.ts'
import type { DatabaseCheck } from '../check.ts'
import { warning } from '../finding.ts'
import { detailOf } from '../why.ts'

/**
 * Finds replicas that get no reads, and those behind a pooler. A fault is only a warning, because the primary runs those
 * reads.
 */
export const replicasCheck: DatabaseCheck = {
  id: 'replicas',
  applies: ({ config }) => config.databaseReplicaUrls.length > 0,
  async run({ config: { databaseUrl = '', databaseReplicaUrls } }) {
    const inspected = await inspectReplicas(databaseUrl, databaseReplicaUrls)
    return inspected.flatMap(({ fault, isPooled, error }, index) => {
      const params = { number: index + 1 }
      const findings = isPooled ? [warning('replicas.pooled', { params })] : []
      if (fault === undefined || fault === 'unknown') return findings
      const detail = error === undefined ? {} : { detail: detailOf(error) }
      return [...findings, warning(`replicas.${fault}`, { params, ...detail })]
    })
  },
}
