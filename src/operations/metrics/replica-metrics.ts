import type { Replicas } from '../../db/replicas/open-replicas.ts'
import type { Metrics } from './registry.ts'

/** Reports the replicas and the reads that they answer; nothing without replicas. */
export function measureReplicas(
  { states, counts }: Pick<Replicas, 'states' | 'counts'>,
  metrics: Metrics,
) {
  if (states().length === 0) return
  const reads = metrics.counter('mokuroku_reads_total')
  metrics.onCollect(() => {
    reads.reset()
    for (const [server, count] of Object.entries(counts)) reads.labels(server).inc(count)
    const [up, lag] = [
      metrics.gauge('mokuroku_replica_up'),
      metrics.gauge('mokuroku_replica_lag_bytes'),
    ]
    for (const { name, fault, lagBytes } of states()) {
      up.labels(name).set(fault === undefined ? 1 : 0)
      if (lagBytes === undefined) lag.remove(name)
      else lag.labels(name).set(lagBytes)
    }
  })
}
