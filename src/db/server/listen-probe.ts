import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { destroyConnection } from './destroy-connection.ts'
import { findPrimary } from './primary-finder.ts'

/** Time, in milliseconds, within which a notification arrives. */
const MAX_WAIT_MS = 1_000

/** Number of notifications. A pooler might deliver one by chance. */
const NOTIFICATIONS = 3

/**
 * Whether a connection that listens receives notifications. Behind a pooler that mixes sessions, LISTEN succeeds on a
 * server connection that other clients use next.
 */
export async function hearsNotifications(url: string): Promise<boolean> {
  const connectionString = await findPrimary(url)
  const channel = `mokuroku_probe_${randomBytes(6).toString('hex')}`
  const open = () =>
    new pg.Client({
      connectionString,
      connectionTimeoutMillis: MAX_WAIT_MS,
      query_timeout: MAX_WAIT_MS,
      application_name: 'mokuroku probe',
    }).on('error', () => {})
  const [listener, notifier] = [open(), open()]
  let timer: NodeJS.Timeout | undefined
  try {
    await Promise.all([listener.connect(), notifier.connect()])
    let heard = 0
    const all = Promise.withResolvers<boolean>()
    listener.on('notification', () => {
      heard += 1
      if (heard === NOTIFICATIONS) all.resolve(true)
    })
    await listener.query(`listen ${channel}`)
    timer = setTimeout(() => all.resolve(false), MAX_WAIT_MS)
    for (let sent = 0; sent < NOTIFICATIONS; sent += 1) await notifier.query(`notify ${channel}`)
    const result = await all.promise
    if (!result) await listener.query(`unlisten ${channel}`)
    return result
  } finally {
    clearTimeout(timer)
    for (const client of [listener, notifier]) {
      void client.end().catch(() => {})
      destroyConnection(client)
    }
  }
}
