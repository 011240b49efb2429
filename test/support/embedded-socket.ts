import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createConnection, Socket } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { openEmbedded } from '../../src/db/embedded/embedded.ts'
import type { ListenOptions, SocketListener } from '../../src/db/embedded/socket/listen.ts'
import { message } from '../../src/db/embedded/socket/messages.ts'
import type { Tables } from '../../src/db/tables.ts'
import { eventually } from './browser.ts'
import { createDatabase, type TestDatabase } from './databases.ts'

const MAX_FREE_BYTES = 2 ** 40

function packet(code: number, strings: string[] = []) {
  const content = Buffer.from(`${strings.map((word) => `${word}\0`).join('')}\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + content.length, 0)
  head.writeInt32BE(code, 4)
  return Buffer.concat([head, content])
}
const startup = (...strings: string[]) => packet(3 << 16, strings)

/** Messages of clients that the program does not send. */
export const CLIENT_PACKETS = {
  packet,
  startup,
  bind: (portal: string, name: string) =>
    message('B', Buffer.from(`${portal}\0${name}\0\0\0\0\0\0\0`)),
  execute: () => message('E', Buffer.alloc(5)),
  flush: () => message('H'),
}
export const SESSION = startup('user', 'postgres', 'database', 'postgres')
export const READY = 'Z\0\0\0\x05'

/** Checks the SQLSTATE of an error. */
export const hasSqlState = (expected: string) => (error: unknown) => {
  assert.equal((error as { code?: string }).code, expected, String(error))
  return true
}

/** Waits up to ten seconds for a condition. */
export const until = (condition: () => boolean | Promise<boolean>) =>
  eventually(condition, 'the change', 10_000)

/** Prepares a suite that connects to an embedded database in this process, with an empty table `notes` for each test. */
export function setUpSocketTest() {
  let listener: SocketListener
  let freeBytes = MAX_FREE_BYTES
  const opened: { end(): void }[] = []
  const logged: string[] = []
  const log = { warn: (_facts: object, text: string) => void logged.push(text) }
  let database: TestDatabase
  let embedded: Awaited<ReturnType<typeof openEmbedded>>
  let db: Kysely<Tables>

  async function open() {
    embedded = await openEmbedded(database.dataDir, {
      freeBytes: async () => freeBytes,
      intervalMs: 5,
    })
    db = new Kysely<Tables>({ dialect: embedded.dialect })
  }
  async function close() {
    await embedded.stopWatching()
    await db.destroy()
    await embedded.close()
  }
  const stop = () => listener.stop()
  const listen = async (options: ListenOptions = {}) =>
    void (listener = await embedded.acceptCommands({ log, ...options }))

  before(async () => {
    database = await createDatabase('embedded', 'empty')
    await open()
    await sql`create table notes (id integer generated always as identity, text text)`.execute(db)
  })
  after(async () => {
    await close()
    await database.remove()
  })
  beforeEach(async () => {
    logged.length = 0
    await sql`truncate notes`.execute(db)
    await listen()
  })
  afterEach(async () => {
    for (const client of opened.splice(0)) client.end()
    await stop()
  })

  return {
    logged,
    log,
    open,
    close,
    stop,
    listen,
    get dataDir() {
      return database.dataDir
    },
    get path() {
      return join(database.dataDir, '.s.PGSQL.5432')
    },
    get embedded() {
      return embedded
    },
    get db() {
      return db
    },
    /** Runs work while the disk seems to be almost full. */
    async withFullDisk(work: () => Promise<void>) {
      freeBytes = 2 ** 20
      await work().finally(() => (freeBytes = MAX_FREE_BYTES))
    },
    /** Replaces the listener with one that has other limits. */
    async listenWith(options: ListenOptions) {
      await stop()
      await listen(options)
    },
    async connect() {
      const stream = new Socket()
      const client = new pg.Client({
        host: database.dataDir,
        user: 'postgres',
        database: 'postgres',
        stream: () => stream,
      })
      client.on('error', () => {})
      opened.push({ end: () => stream.destroy() })
      await client.connect()
      return client
    },
    /** Opens a connection that sends bytes, and collects what arrives. */
    async connectRaw(...first: Buffer[]) {
      const socket = createConnection(this.path)
      let received = Buffer.alloc(0)
      socket.on('error', () => {})
      socket.on('data', (bytes: Buffer) => (received = Buffer.concat([received, bytes])))
      await once(socket, 'connect')
      opened.push({ end: () => socket.destroy() })
      for (const bytes of first) socket.write(bytes)
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
      return {
        socket,
        closed,
        received: () => received.toString('latin1'),
        async until(text: string) {
          for (const end = Date.now() + 10_000; !received.includes(text); await sleep(5))
            assert.ok(Date.now() < end, `${text} did not arrive: ${received.toString('latin1')}`)
        },
      }
    },
    async texts() {
      const { rows } = await sql<{ text: string }>`select text from notes order by id`.execute(db)
      return rows.map(({ text }) => text)
    },
  }
}
