import type { DatabaseObserver } from '../../db/observer.ts'
import { errorCode } from '../../kernel/error-code.ts'
import type { Metrics } from './registry.ts'

const OPERATIONS = new Set(
  'select with insert update delete merge copy begin commit rollback set do savepoint release'.split(
    ' ',
  ),
)

const SQLSTATE = /^[0-9A-Z]{5}$/

/** Creates an observer that reports statements and the pool. */
export function measureDatabase(metrics: Metrics): DatabaseObserver {
  const durations = metrics.histogram('db_client_operation_duration_seconds')
  const errors = metrics.counter('db_client_errors_total')
  const waits = metrics.histogram('db_client_connections_wait_seconds')
  return {
    onStatement(event) {
      const [, word = ''] = /^\s*(\w+)/.exec(event.query.sql) ?? []
      const operation = word.toLowerCase()
      durations
        .labels(OPERATIONS.has(operation) ? operation : 'other')
        .observe(event.queryDurationMillis / 1_000)
      if (event.level !== 'error') return
      const code = errorCode(event.error) ?? ''
      errors.labels(SQLSTATE.test(code) ? code : 'connection').inc()
    },
    onPool(pool) {
      const connect = pool.connect.bind(pool)
      pool.connect = async () => {
        const began = performance.now()
        try {
          return await connect()
        } finally {
          waits.observe((performance.now() - began) / 1_000)
        }
      }
      const connections = metrics.gauge('db_client_connections')
      metrics.onCollect(() => {
        connections.labels('idle').set(pool.idleCount)
        connections.labels('used').set(pool.totalCount - pool.idleCount)
        metrics.gauge('db_client_connections_pending').set(pool.waitingCount)
      })
    },
  }
}
