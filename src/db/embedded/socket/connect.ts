import pg from 'pg'
import { createConnection } from 'node:net'
import { parserOf } from '../../server/type-parsers.ts'
import { connectionOf } from '../connection-of.ts'
import { EmbeddedDialect, EmbeddedPool } from '../embedded-pool.ts'
import { WAITING_NOTICE } from './messages.ts'
import { isUsablePath, socketPathOf } from './path.ts'

/** Keepalive interval of a client, in milliseconds: a third of the server's idle timeout. */
const ALIVE_MS = 20_000

type Log = { warn(facts: object, message: string): void }

/**
 * Connects to the service that has the embedded database open.
 *
 * @returns `undefined` if no service accepts connections
 */
export async function connectToService(directory: string, log?: Log) {
  const path = socketPathOf(directory)
  if (!isUsablePath(path)) return undefined
  const stream = createConnection(path)
  const isThere = await new Promise<boolean>((resolve) => {
    stream.once('connect', () => resolve(true))
    stream.once('error', () => resolve(false))
  })
  if (!isThere) return undefined
  const client = new pg.Client({
    stream: () =>
      Object.assign(stream, { connect: () => process.nextTick(() => stream.emit('connect')) }),
    // Overrides environment variables for a server.
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    types: { getTypeParser: parserOf },
  })
  // The failing statement reports the error.
  client.on('error', () => {})
  client.on('notice', ({ code, message = '' }) => {
    if (code === WAITING_NOTICE) log?.warn({}, message)
  })
  await client.connect()
  const alive = setInterval(() => connectionOf(client).flush(), ALIVE_MS).unref()
  const pool = new EmbeddedPool(client, () => {})
  const close = () => {
    clearInterval(alive)
    // Kysely does not close its driver if no query ran, and the open connection would keep the process running.
    stream.destroy()
  }
  return { dialect: new EmbeddedDialect({ pool }), close }
}
