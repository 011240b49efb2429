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

/** Interval, in milliseconds, between polls for new events. */
const POLL_MS = 300
/** Maximum number of concurrent requests of this process. */
const MAX_AT_ONCE = 32
/** Maximum number of concurrent requests to one endpoint, so that a slow one does not hold up the others. */
const MAX_PER_ENDPOINT = 2
/** Maximum number of concurrent requests to the apps of one developer. */
const MAX_PER_OWNER = 6

export type WebhookSenderOptions = AttemptOptions & {
  db: Database
  log: Logger
  /** Counts attempts for the metrics. */
  onAttempt?: ((outcome: 'delivered' | 'failed') => void) | undefined
}

/**
 * Delivers events to the endpoints of apps until it is stopped, in any number of processes: a lease gives each delivery
 * to one of them. A stop waits for requests in flight. If the process is killed, another one retries them.
 */
export function startWebhookSender(options: WebhookSenderOptions): PeriodicTask {
  const { db, log } = options
  const inFlight = new Set<Promise<void>>()
  const perEndpoint = new Map<number, number>()
  const perOwner = new Map<number, number>()
  const onError = (err: unknown) => log.warn({ err }, 'Delivering webhooks failed; retrying')

  function start(claimed: Claimed) {
    const { endpoint_id: endpoint, owner_id: owner } = claimed
    count(perEndpoint, endpoint, 1)
    count(perOwner, owner, 1)
    const delivery = deliver(options, claimed)
      .catch(onError)
      .finally(() => {
        inFlight.delete(delivery)
        count(perEndpoint, endpoint, -1)
        count(perOwner, owner, -1)
        // A due delivery may have waited for this slot.
        task.wake()
      })
    inFlight.add(delivery)
  }

  const pass = async (stopping: AbortSignal) => {
    if (!(await deliverEvents(db))) return
    while (!stopping.aborted && inFlight.size < MAX_AT_ONCE) {
      const claimed = await claimDelivery(db, {
        endpoints: countedTo(perEndpoint, MAX_PER_ENDPOINT),
        owners: countedTo(perOwner, MAX_PER_OWNER),
      })
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

function count(counts: Map<number, number>, key: number | null, change: number) {
  if (key === null) return
  const sum = (counts.get(key) ?? 0) + change
  if (sum > 0) counts.set(key, sum)
  else counts.delete(key)
}

/** Returns the keys that are counted at least `limit` times. */
const countedTo = (counts: Map<number, number>, limit: number) =>
  [...counts].flatMap(([key, sum]) => (sum < limit ? [] : [key]))

async function deliver(options: WebhookSenderOptions, claimed: Claimed) {
  const { db, log, onAttempt } = options
  if (!claimed.is_allowed) return cancelDelivery(db, claimed)
  const attempt = await attemptDelivery(options, claimed)
  onAttempt?.(attempt.isAccepted ? 'delivered' : 'failed')
  if (attempt.isAccepted) return recordSuccess(db, claimed, attempt)
  const outcome = await recordFailure(db, claimed, attempt)
  if (outcome === 'disabled')
    log.info({ endpoint: claimed.endpoint_id }, 'Disabled a failing webhook endpoint')
}
