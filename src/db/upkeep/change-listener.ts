import pg from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPeriodicTask } from '../../kernel/async/periodic-task.ts'
import { destroyConnection } from '../server/postgres.ts'

/** What migration 0013 notifies when something has changed that is not to wait for the next poll. */
export const CHANGES_CHANNEL = 'mokuroku_changes'

/** Hears of changes as long as it is not stopped. */
export type ChangeListener = { stop(): Promise<void> }

/** Milliseconds until the connection is tried again; twice as long after each try that fails, up to the second one. */
const RETRY_MS = [1_000, 60_000] as const

/**
 * Listens on a connection of its own, which it replaces when it is lost. Without one nothing is missed: whoever listens
 * polls as well (decision 0005).
 *
 * @param onChange also called when the connection is there again: what was notified meanwhile was not heard
 * @param onLost is given why there is no connection, once for each time that one was lost or never came about
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
    // Also awaited below; until then it must not count as unhandled.
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
      // Of a server that does not answer the goodbye nothing is waited for.
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
