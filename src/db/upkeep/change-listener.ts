import pg from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPeriodicTask } from '../../kernel/async/periodic-task.ts'
import { destroyConnection } from '../server/postgres.ts'

/** Channel that the database notifies of urgent changes. */
export const CHANGES_CHANNEL = 'mokuroku_changes'

/** Listens for changes until stopped. */
export type ChangeListener = { stop(): Promise<void> }

/** First and maximum delay, in milliseconds, before reconnecting. The delay doubles after each failure. */
const RETRY_MS = [1_000, 60_000] as const

/**
 * Listens for notifications on a dedicated connection and reconnects when the connection is lost. No change is missed
 * in between, because the caller also polls (decision 0005).
 *
 * @param onChange also called after each reconnect, because notifications may have been missed
 * @param onLost receives the error, once per outage
 */
export function listenForChanges(
  url: string,
  onChange: () => void,
  onLost: (error: Error) => void,
): ChangeListener {
  const [first, longest] = RETRY_MS
  let retry: number = first
  let isLost = false

  async function listen(stopping: AbortSignal) {
    const client = new pg.Client({
      connectionString: url,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 5_000,
      application_name: 'mokuroku changes',
    })
    const over = Promise.withResolvers<void>()
    client.once('end', () =>
      over.reject(new Error('The connection that listens for changes was closed')),
    )
    client.on('error', (error) => over.reject(error))
    stopping.addEventListener('abort', () => over.resolve(), { once: true })
    // The promise is awaited below. Until then, its rejection must not count as unhandled.
    over.promise.catch(() => {})
    client.on('notification', onChange)
    try {
      await client.connect()
      await client.query(`listen ${CHANGES_CHANNEL}`)
      retry = first
      isLost = false
      onChange()
      await over.promise
    } finally {
      // An unresponsive server must not delay the stop.
      await Promise.race([client.end().catch(() => {}), sleep(1_000, undefined, { ref: false })])
      destroyConnection(client)
    }
  }

  const task = startPeriodicTask(
    () => retry,
    listen,
    (error) => {
      retry = Math.min(retry * 2, longest)
      if (isLost) return
      isLost = true
      onLost(error instanceof Error ? error : new Error(String(error)))
    },
  )
  task.wake()
  return { stop: task.stop }
}
