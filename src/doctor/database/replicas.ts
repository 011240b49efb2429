import { inspectReplicas } from '../../db/replicas/inspect-replicas.ts'
import type { DatabaseCheck } from '../check.ts'
import { warning } from '../finding.ts'
import { detailOf } from '../why.ts'

/** Finds replicas that get no reads. A fault is only a warning, because the primary runs those reads. */
export const replicasCheck: DatabaseCheck = {
  id: 'replicas',
  applies: ({ config }) => config.databaseReplicaUrls.length > 0,
  async run({ config: { databaseUrl = '', databaseReplicaUrls } }) {
    const inspected = await inspectReplicas(databaseUrl, databaseReplicaUrls)
    return inspected.flatMap(({ fault, error }, index) =>
      fault === undefined || fault === 'unknown'
        ? []
        : [
            warning(`replicas.${fault}`, {
              params: { number: index + 1 },
              ...(error !== undefined && { detail: detailOf(error) }),
            }),
          ],
    )
  },
}
