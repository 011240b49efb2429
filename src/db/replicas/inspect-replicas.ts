import { queryRow } from '../query.ts'
import { openPostgres } from '../server/postgres.ts'
import { IS_POOLED } from '../server/session.ts'
import { judgeReplica, type ReplicaFault } from './judge.ts'
import { primaryProbes, replicaProbe } from './positions.ts'

/**
 * Checks each replica once, over a separate connection.
 *
 * @returns the fault of each replica, in the order of the URLs, with the error if it does not respond, and whether the
 *   connection leads through a pooler
 */
export async function inspectReplicas(
  databaseUrl: string,
  replicaUrls: readonly string[],
): Promise<{ fault: ReplicaFault | undefined; isPooled: boolean; error?: unknown }[]> {
  const open = (url: string) =>
    openPostgres({ url, poolSize: 1, preparedStatements: false, onConnectionError: () => {} })
  const server = open(databaseUrl)
  try {
    const primary = await primaryProbes(server.db).state()
    return await Promise.all(
      replicaUrls.map(async (url) => {
        const replica = open(url)
        try {
          const { fault } = judgeReplica(primary, await replicaProbe(replica.db)())
          const pooled = await queryRow(replica.db, IS_POOLED, [])
          return { fault, isPooled: pooled?.is_pooled ?? false }
        } catch (error) {
          return { fault: 'silent' as const, isPooled: false, error }
        } finally {
          void replica.close()
        }
      }),
    )
  } finally {
    void server.close()
  }
}
