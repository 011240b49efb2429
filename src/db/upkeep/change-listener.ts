import pg from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPeriodicTask, UNTIL_WOKEN } from '../../kernel/async/periodic-task.ts'
import { destroyConnection } from '../server/destroy-connection.ts'
import { hearsNotifications } from '../server/listen-probe.ts'
import { primaryFinder } from '../server/primary-finder.ts'

/** Channel that the database notifies of urgent changes. */
export const CHANGES_CHANNEL = 'mokuroku_changes'

/** Listens for changes until stopped. */
export type ChangeListener = { stop(): Promise<void> }

/** First and maximum delay, in milliseconds, before reconnecting. The delay doubles after each failure. */
const RETRY_MS = [1_000, 60_000] as const

/**
 * Listens for notifications on a dedicated connection, and reconnects when the connection is lost. No change is missed
 * in between, because the caller also polls (decision 0005). Stops for good behind a pooler that mixes sessions: it
 * delivers notifications to other clients, if at all.
 *
 * @param onChange also called after each reconnect, because notifications may have been missed
 * @param onLost receives the error, once per outage
 * @param onUndelivered called when it stops because notifications do not arrive
 */
export function listenForChanges(
  url: string,
  onChange: () => void,
  { onLost, onUndelivered }: { onLost: (error: Error) => void; onUndelivered: () => void },
): ChangeListener {
  const [first, longest] = RETRY_MS
  let retry: number = first
  let isLost = false
  let reconnect = () => {}
  const finder = primaryFinder(url, () => reconnect())

  async function listen(stopping: AbortSignal) {
    const connectionString = await finder.find()
    const client = new pg.Client({
      connectionString,
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
    reconnect = () => over.reject(new Error('Another host of the database has become the primary'))
    const stop = () => over.resolve()
    stopping.addEventListener('abort', stop)
    // The promise is awaited below. Until then, its rejection must not count as unhandled.
    over.promise.catch(() => {})
    client.on('notification', onChange)
    try {
      await client.connect()
      if ((await leadsThroughPooler(client)) && !(await hearsNotifications(url))) {
        retry = UNTIL_WOKEN
        return onUndelivered()
      }
      await client.query(`listen ${CHANGES_CHANNEL}`)
      retry = first
      isLost = false
      onChange()
      await over.promise
    } catch (error) {
      finder.forget(connectionString)
      throw error
    } finally {
      stopping.removeEventListener('abort', stop)
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
  return { stop: () => task.stop().finally(finder.close) }
}

/** Whether a connection leads through a pooler, which reports its own process IDs. */
async function leadsThroughPooler(client: pg.Client) {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  // as: the types omit it
  return rows[0]?.pid !== (client as unknown as { processID: number }).processID
}
