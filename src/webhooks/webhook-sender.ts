import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { startPeriodicTask, type PeriodicTask } from '../kernel/async/periodic-task.ts'
import { traceTask } from '../kernel/async/trace-task.ts'
import { attemptDelivery, type AttemptOptions } from './attempt.ts'
import {
  cancelDelivery,
  claimDelivery,
  recordFailure,
  recordSuccess,
  type Claimed,
} from './delivery-queries.ts'
import { deliverEvents } from './event-queries.ts'

/** Time between two looks at what has happened, in milliseconds. */
const POLL_MS = 300
/** Maximum number of requests of this process at once. */
const MAX_AT_ONCE = 32
/** Maximum number of them to one endpoint, so that a slow one does not hold up the others. */
const MAX_PER_ENDPOINT = 2

export type WebhookSenderOptions = AttemptOptions & {
  db: Database
  log: Logger
  /** Counts attempts for the metrics. */
  onAttempt?: ((outcome: 'delivered' | 'failed') => void) | undefined
}

/**
 * Delivers events to the endpoints of apps until it is stopped, in any number of processes: a lease gives each delivery
 * to one of them. Requests in flight are aborted by the end of the process, and repeated by another one.
 */
export function startWebhookSender(options: WebhookSenderOptions): PeriodicTask {
  const { db, log } = options
  const inFlight = new Set<Promise<void>>()
  const perEndpoint = new Map<number, number>()
  const onError = (err: unknown) => log.warn({ err }, 'Delivering webhooks failed; retrying')

  function start(claimed: Claimed) {
    const { endpoint_id: endpoint } = claimed
    perEndpoint.set(endpoint, (perEndpoint.get(endpoint) ?? 0) + 1)
    const delivery = deliver(options, claimed)
      .catch(onError)
      .finally(() => {
        inFlight.delete(delivery)
        const left = (perEndpoint.get(endpoint) ?? 1) - 1
        if (left > 0) perEndpoint.set(endpoint, left)
        else perEndpoint.delete(endpoint)
        // A due delivery may have waited for this slot.
        task.wake()
      })
    inFlight.add(delivery)
  }

  const pass = async (stopping: AbortSignal) => {
    if (!(await deliverEvents(db))) return
    while (!stopping.aborted && inFlight.size < MAX_AT_ONCE) {
      const busy = [...perEndpoint].flatMap(([id, count]) => (count < MAX_PER_ENDPOINT ? [] : [id]))
      const claimed = await claimDelivery(db, busy)
      if (!claimed) return
      start(claimed)
    }
  }
  const task = startPeriodicTask(
    POLL_MS,
    (stopping) => traceTask('webhooks', () => pass(stopping)),
    onError,
  )
  return {
    wake: task.wake,
    async stop() {
      await task.stop()
      await Promise.all(inFlight)
    },
  }
}

async function deliver(options: WebhookSenderOptions, claimed: Claimed) {
  const { db, log, onAttempt } = options
  if (!claimed.is_allowed) return cancelDelivery(db, claimed)
  const attempt = await attemptDelivery(options, claimed)
  onAttempt?.(attempt.isAccepted ? 'delivered' : 'failed')
  if (attempt.isAccepted) return recordSuccess(db, claimed, attempt)
  const outcome = await recordFailure(db, claimed, attempt)
  if (outcome === 'disabled')
    log.info(
      { endpoint: claimed.endpoint_id },
      'Disabled a webhook endpoint that rejects everything',
    )
}
