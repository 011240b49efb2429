import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { createConnection, Socket } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { seedRandom } from '#test/seeded-random.ts'
import { RowCopier } from '../../row-copier.ts'
import type { Tables } from '../../tables.ts'
import { openEmbedded } from '../embedded.ts'
import { connectToService } from './connect.ts'
import { CLIENT_MESSAGES } from './message-reader.ts'
import { closeStatement, message, parse, query, sync } from './messages.ts'
import type { ListenOptions, SocketListener } from './listen.ts'

const SHORT_IDLE_MS = 400

setFlagsFromString('--expose-gc')
// as: the flag adds it
const collectGarbage = runInNewContext('gc') as () => void
/** Returns the bytes of buffers that are in use. */
function collected() {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

const MEBIBYTE = 2 ** 20

const startup = (...strings: string[]) => packet(3 << 16, strings)
function packet(code: number, strings: string[] = []) {
  const content = Buffer.from(`${strings.map((word) => `${word}\0`).join('')}\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + content.length, 0)
  head.writeInt32BE(code, 4)
  return Buffer.concat([head, content])
}
const bind = (portal: string, name: string) =>
  message('B', Buffer.from(`${portal}\0${name}\0\0\0\0\0\0\0`))
const execute = () => message('E', Buffer.alloc(5))
const flush = () => message('H')

describe('the socket of the embedded database', () => {
  let database: TestDatabase
  let embedded: Awaited<ReturnType<typeof openEmbedded>>
  let db: Kysely<Tables>
  let listener: SocketListener
  let path: string
  let freeBytes = 2 ** 40
  const logged: string[] = []
  const log = { warn: (_facts: object, text: string) => void logged.push(text) }
  const listen = (options: ListenOptions = {}) => embedded.acceptCommands({ log, ...options })
  /** Replaces the listener with one that closes idle transactions early. */
  const limitIdle = async (maxIdleMs: number) => {
    await listener.stop()
    listener = await listen({ maxIdleMs })
  }

  before(async () => {
    database = await createDatabase('embedded', 'empty')
    path = join(database.dataDir, '.s.PGSQL.5432')
    embedded = await openEmbedded(database.dataDir, {
      freeBytes: async () => freeBytes,
      intervalMs: 5,
    })
    db = new Kysely<Tables>({ dialect: embedded.dialect })
    await sql`create table notes (id integer generated always as identity, text text)`.execute(db)
  })
  after(async () => {
    await embedded.stopWatching()
    await db.destroy()
    await embedded.close()
    await database.remove()
  })
  beforeEach(async () => {
    logged.length = 0
    await sql`truncate notes`.execute(db)
    listener = await listen()
  })
  const opened: { end(): void }[] = []
  afterEach(async () => {
    for (const client of opened.splice(0)) client.end()
    await listener.stop()
  })

  async function connect() {
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
  }
  /** Opens a connection that sends bytes, and collects what arrives. */
  async function connectRaw(...first: Buffer[]) {
    const socket = createConnection(path)
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
  }
  const SESSION = startup('user', 'postgres', 'database', 'postgres')
  const READY = 'Z\0\0\0\x05'
  const texts = async () => {
    const { rows } = await sql<{ text: string }>`select text from notes order by id`.execute(db)
    return rows.map(({ text }) => text)
  }
  const code = (expected: string) => (error: unknown) => {
    assert.equal((error as { code?: string }).code, expected, String(error))
    return true
  }
  async function until(isSo: () => boolean | Promise<boolean>) {
    for (const end = Date.now() + 10_000; !(await isSo()); await sleep(5))
      assert.ok(Date.now() < end)
  }

  describe('file', () => {
    it('is accessible only to its owner, and is removed when the service stops', async () => {
      assert.equal(statSync(path).mode & 0o777, 0o600)
      await listener.stop()
      assert.ok(!existsSync(path))
    })

    it('replaces the file of a process that was killed', async () => {
      await listener.stop()
      writeFileSync(path, '')
      listener = await listen()
      const client = await connect()
      await client.query('select 1')
    })

    it('is not created if its path is too long, and a warning is logged', async () => {
      const parts = Array.from({ length: 5 }, () => 'a'.repeat(25))
      const long = join(database.dataDir, ...parts)
      mkdirSync(long, { recursive: true })
      await embedded.stopWatching()
      await db.destroy()
      await embedded.close()
      await listener.stop()
      renameSync(join(database.dataDir, 'postgres'), join(long, 'postgres'))
      const other = await openEmbedded(long)
      const otherDb = new Kysely<Tables>({ dialect: other.dialect })
      const none = await other.acceptCommands({ log })
      await sql`select 1`.execute(otherDb)
      assert.deepEqual(logged, ['Cannot listen for commands: they need the service to be stopped'])
      assert.equal(await connectToService(long), undefined)
      await none.stop()
      await other.stopWatching()
      await otherDb.destroy()
      await other.close()
      renameSync(join(long, 'postgres'), join(database.dataDir, 'postgres'))
      embedded = await openEmbedded(database.dataDir, {
        freeBytes: async () => freeBytes,
        intervalMs: 5,
      })
      db = new Kysely<Tables>({ dialect: embedded.dialect })
      listener = await listen()
    })
  })

  describe('startup', () => {
    it('declines encryption and continues without it', async () => {
      const { until: arrives, received } = await connectRaw(
        packet(80_877_103).subarray(0, 8).fill(8, 3, 4),
        packet(80_877_104).subarray(0, 8).fill(8, 3, 4),
        SESSION,
      )
      await arrives(READY)
      assert.match(received(), /^NNR/)
      assert.match(received(), /server_version\0/)
      assert.match(received(), /client_encoding\0UTF8/)
    })

    it('closes a connection that sends a cancel request', async () => {
      const { closed, received } = await connectRaw(packet(80_877_102))
      await closed
      assert.equal(received(), '')
    })

    it('negotiates a later minor version and unknown options', async () => {
      const { until: arrives, received } = await connectRaw(
        packet((3 << 16) + 2, ['user', 'postgres', '_pq_.new', '1']),
      )
      await arrives(READY)
      assert.ok(received().startsWith('v\0\0\0\x15\0\x03\0\0\0\0\0\x01_pq_.new\0'))
    })

    for (const [name, first, expected] of [
      ['another role', startup('user', 'root'), '28000'],
      ['another database', startup('user', 'postgres', 'database', 'x'), '3D000'],
      ['another major version', packet(2 << 16), '0A000'],
      ['an absurd length', Buffer.from([0x7f, 0, 0, 0, 0, 0, 0, 0]), '08P01'],
    ] as const)
      it(`rejects ${name}`, async () => {
        const { closed, received } = await connectRaw(first)
        await closed
        assert.match(received(), new RegExp(`^E.*SFATAL\0.*C${expected}\0`, 's'))
      })

    it('rejects clients above the maximum number', async () => {
      await listener.stop()
      listener = await listen({ maxClients: 2 })
      await connect()
      const second = await connect()
      await assert.rejects(connect(), code('53300'))
      await second.end()
      await until(() =>
        connect().then(
          () => true,
          () => false,
        ),
      )
    })
  })

  describe('statements', () => {
    it('return rows, notices and errors', async () => {
      const client = await connect()
      const notices: unknown[] = []
      client.on('notice', ({ message: text }) => notices.push(text))
      assert.deepEqual((await client.query('select $1::text as a', ['漢字'])).rows, [{ a: '漢字' }])
      await client.query(`do $$ begin raise notice 'a notice'; end $$`)
      assert.deepEqual(notices, ['a notice'])
      await assert.rejects(client.query('selec'), code('42601'))
      await assert.rejects(client.query('select 1 / $1', [0]), code('22012'))
      const results: unknown = await client.query('select 1 as a; select 2 as b')
      // as: the types omit that several statements return a list
      assert.deepEqual((results as pg.QueryResult[]).at(1)?.rows, [{ b: 2 }])
    })

    it('wait for an open transaction of the service, and make the service wait for the client’s', async () => {
      const client = await connect()
      const waiting = await db.transaction().execute(async (trx) => {
        await sql`insert into notes (text) values ('first')`.execute(trx)
        const promise = client.query('select text from notes')
        await sleep(50)
        await sql`insert into notes (text) values ('second')`.execute(trx)
        return { promise }
      })
      assert.equal((await waiting.promise).rowCount, 2)
      await client.query('begin')
      await client.query(`insert into notes (text) values ('third')`)
      const seen = texts()
      await sleep(50)
      await client.query(`insert into notes (text) values ('fourth')`)
      await client.query('commit')
      assert.deepEqual(await seen, ['first', 'second', 'third', 'fourth'])
    })

    it('may be prepared by several clients under the same name', async () => {
      const [one, two] = [await connect(), await connect()]
      for (let round = 0; round < 3; round += 1) {
        const first = await one.query({
          name: 'a',
          text: 'select $1::integer + 1 as n',
          values: [1],
        })
        const second = await two.query({ name: 'a', text: 'select $1::text as n', values: ['x'] })
        assert.deepEqual([first.rows, second.rows], [[{ n: 2 }], [{ n: 'x' }]])
      }
      await one.end()
      await two.end()
      await until(async () => {
        const { rows } = await sql`select name from pg_prepared_statements
          where starts_with(name, 'socket_')`.execute(db)
        return rows.length === 0
      })
    })

    it('do not survive a Sync if they are unnamed, because another client may then use the connection', async () => {
      const raw = await connectRaw(SESSION, parse('', 'select 1'), sync())
      await raw.until('1\0\0\0\x04')
      raw.socket.write(Buffer.concat([bind('', ''), execute(), sync()]))
      await raw.until('C26000')
    })

    it('are deallocated when the client closes them', async () => {
      const raw = await connectRaw(
        SESSION,
        parse('x', 'select 1'),
        sync(),
        closeStatement('x'),
        sync(),
      )
      await raw.until('3\0\0\0\x04')
      raw.socket.write(Buffer.concat([bind('', 'x'), execute(), sync()]))
      await raw.until('C26000')
    })

    it('are rejected when the disk is full, like those of the service', async () => {
      const client = await connect()
      freeBytes = MEBIBYTE
      try {
        await until(() => client.query('delete from notes').then(() => false, code('53100')))
        await assert.rejects(client.query('delete from notes where id = $1', [1]), code('53100'))
        await assert.rejects(client.query('copy notes (text) from stdin'), code('53100'))
        await client.query('select $1::integer', [1])
      } finally {
        freeBytes = 2 ** 40
      }
      await until(() =>
        client.query('delete from notes').then(
          () => true,
          () => false,
        ),
      )
    })

    it('can notify the service', async () => {
      let count = 0
      const stop = await embedded.listen(() => (count += 1))
      const raw = await connectRaw(SESSION, query('notify mokuroku_changes; notify others'))
      await raw.until('NOTIFY')
      await until(() => count === 1)
      assert.ok(!raw.received().includes('mokuroku_changes'))
      await sql`notify mokuroku_changes`.execute(db)
      await until(() => count === 2)
      await stop()
    })
  })

  describe('COPY FROM STDIN', () => {
    it('loads rows in chunks, through the program’s own client', async () => {
      const service = await connectToService(database.dataDir)
      assert.ok(service)
      const other = new Kysely<Tables>({ dialect: service.dialect })
      await other.transaction().execute(async (trx) => {
        const copier = new RowCopier(trx, 'notes', ['text'])
        for (let row = 0; row < 30_000; row += 1) {
          copier.add('a'.repeat(100))
          await copier.settle()
        }
        await copier.end()
      })
      await other.destroy()
      service.close()
      assert.equal((await texts()).length, 30_000)
    })

    it('receives its data after the statement', async () => {
      const raw = await connectRaw(SESSION, query('copy notes (text) from stdin'))
      await raw.until('G\0\0\0\x07')
      raw.socket.write(message('d', Buffer.from('one\ntw')))
      raw.socket.write(message('d', Buffer.from('o\n')))
      await sleep(20)
      assert.deepEqual(await texts(), [])
      raw.socket.write(message('c'))
      await raw.until('COPY 2')
      assert.deepEqual(await texts(), ['one', 'two'])
    })

    it('is undone if the client fails or vanishes', async () => {
      const failing = await connectRaw(SESSION, query('copy notes (text) from stdin'))
      failing.socket.write(message('d', Buffer.from('one\n')))
      failing.socket.write(message('f', Buffer.from('no more\0')))
      await failing.until('C57014')
      const vanishing = await connectRaw(
        SESSION,
        query('begin'),
        query('copy notes (text) from stdin'),
      )
      await vanishing.until('G\0\0\0\x07')
      vanishing.socket.write(message('d', Buffer.from('one\n')))
      vanishing.socket.destroy()
      assert.deepEqual(await texts(), [])
    })

    for (const [name, statements] of [
      ['after another statement', [query('select 1; copy notes (text) from stdin')]],
      [
        'twice in a query',
        [
          query('copy notes (text) from stdin; copy notes (text) from stdin'),
          message('d', Buffer.from('one\n')),
          message('c'),
        ],
      ],
      [
        'in an extended query',
        [parse('', 'copy notes (text) from stdin'), bind('', ''), execute(), sync()],
      ],
    ] as const)
      it(`fails ${name}, and leaves the database running`, async () => {
        const raw = await connectRaw(SESSION, ...statements)
        await raw.until('C57014')
        raw.socket.write(query('select 12345'))
        await raw.until('12345')
        assert.deepEqual(await texts(), [])
      })
  })

  describe('a client that vanishes', () => {
    for (const [name, statements] of [
      ['in a transaction', [query(`begin; insert into notes (text) values ('x')`)]],
      [
        'in a failed transaction',
        [query(`begin; insert into notes (text) values ('x')`), query('selec')],
      ],
      [
        'in an extended query',
        [parse('', `insert into notes (text) values ('x')`), bind('', ''), execute(), flush()],
      ],
      ['in a failed extended query', [parse('', 'selec'), flush()]],
      ['with an open batch', [query('begin'), parse('', 'select 1'), bind('', '')]],
    ] as const)
      it(`${name} leaves no changes behind`, async () => {
        const raw = await connectRaw(SESSION)
        await raw.until(READY)
        raw.socket.write(Buffer.concat([...statements]))
        await sleep(30)
        raw.socket.destroy()
        assert.deepEqual(await texts(), [])
        await sql`insert into notes (text) values ('later')`.execute(db)
        assert.deepEqual(await texts(), ['later'])
      })
  })

  describe('a client’s session', () => {
    for (const [name, statement] of [
      ['search_path', 'set search_path = pg_catalog'],
      ['the time zone', `set timezone = 'Asia/Tokyo'`],
      ['the date style', `set datestyle = 'German'`],
      ['read-only transactions', 'set default_transaction_read_only = on'],
      ['a role', 'create role other; set role other'],
      ['a session authorization', 'set session authorization other'],
      ['a temporary table', `create temporary table notes (text text)`],
      ['a prepared statement', 'prepare notes as select 1'],
      ['a cursor', 'declare notes cursor with hold for select 1'],
      ['a lock', 'select pg_advisory_lock(1)'],
      ['other channels', 'listen others; unlisten mokuroku_changes'],
      ['no prepared statements', 'deallocate all'],
      ['nothing', 'discard all'],
      ['an encoding', `set client_encoding = 'LATIN1'`],
    ] as const)
      it(`does not affect the service if it leaves ${name} behind`, async () => {
        let count = 0
        const stop = await embedded.listen(() => (count += 1))
        const read = () =>
          sql<{
            text: string
          }>`select text, ${'漢'}::text as other, now()::text as time from notes`.execute(db)
        await sql`insert into notes (text) values ('before')`.execute(db)
        await read()
        const client = await connect()
        await client.query(statement)
        const { rows } = await read()
        assert.equal(rows[0]?.text, 'before')
        const { rows: state } = await sql<Record<string, unknown>>`select
          current_user::text as user, current_setting('timezone') as timezone,
          current_setting('datestyle') as datestyle, current_setting('client_encoding') as encoding,
          (select count(*)::integer from pg_locks where locktype = 'advisory') as locks,
          (select count(*)::integer from pg_cursors where is_holdable) as cursors,
          (select count(*)::integer from pg_prepared_statements where from_sql) as prepared,
          (select string_agg(name, ' ') from pg_listening_channels() name) as channels`.execute(db)
        assert.deepEqual(state, [
          {
            user: 'postgres',
            timezone: 'UTC',
            datestyle: 'ISO, MDY',
            encoding: 'UTF8',
            locks: 0,
            cursors: 0,
            prepared: 0,
            channels: 'mokuroku_changes',
          },
        ])
        await sql`insert into notes (text) values ('after'); notify mokuroku_changes`.execute(db)
        assert.deepEqual(await texts(), ['before', 'after'])
        await until(() => count > 0)
        await stop()
      })

    it('is notified when a reported setting is reset', async () => {
      const raw = await connectRaw(SESSION)
      await raw.until(READY)
      raw.socket.write(query(`set client_encoding = 'LATIN1'`))
      await raw.until('client_encoding\0LATIN1')
      await until(() => raw.received().lastIndexOf('UTF8') > raw.received().indexOf('LATIN1'))
    })

    it('is rolled back and closed if it is idle in a transaction', async () => {
      await limitIdle(SHORT_IDLE_MS)
      const client = await connect()
      await client.query('begin')
      await client.query(`insert into notes (text) values ('x')`)
      const [error] = (await once(client, 'error')) as [{ code: string }]
      assert.equal(error.code, '25P03')
      assert.deepEqual(await texts(), [])
      assert.match(logged.join(), /idle in a transaction/)
    })

    it('may be idle in a transaction as long as the client sends Flush messages', async () => {
      // Long enough to send the next message in time on a busy machine.
      const maxIdleMs = 2_000
      await limitIdle(maxIdleMs)
      const raw = await connectRaw(SESSION, query('begin'))
      for (let round = 0; round < 10; round += 1) {
        await sleep(maxIdleMs / 8)
        raw.socket.write(flush())
      }
      raw.socket.write(query('commit'))
      await raw.until('COMMIT')
    })

    it('may be idle outside a transaction', async () => {
      await limitIdle(SHORT_IDLE_MS)
      const client = await connect()
      await client.query('select 1')
      await sleep(SHORT_IDLE_MS * 2)
      await client.query('select 1')
    })

    it('ends when the service stops', async () => {
      const client = await connect()
      await client.query('begin')
      const error = once(client, 'error') as Promise<[{ code: string }]>
      await listener.stop()
      assert.equal((await error)[0].code, '57P01')
      await texts()
      listener = await listen()
    })
  })

  describe('a large result', () => {
    const LARGE = `select repeat('a', 1000) from generate_series(1, 100000)`

    it('does not fill memory while the client does not read, and arrives in full', async () => {
      const raw = await connectRaw(SESSION)
      await raw.until(READY)
      const start = raw.received().length
      raw.socket.pause()
      const before = collected()
      raw.socket.write(query(LARGE))
      await sleep(50)
      await until(() => texts().then(() => true))
      assert.ok(collected() - before < 20 * MEBIBYTE)
      let length = start
      raw.socket.removeAllListeners('data')
      raw.socket.on('data', (bytes) => (length += bytes.length))
      raw.socket.resume()
      await until(() => length - start > 100_000 * 1_011)
      assert.deepEqual(
        readdirSync(database.dataDir).filter((name) => name.endsWith('unsent')),
        [],
      )
    })

    it('requested in a transaction disconnects a client that does not read it', async () => {
      await limitIdle(SHORT_IDLE_MS)
      const raw = await connectRaw(SESSION)
      await raw.until(READY)
      raw.socket.pause()
      raw.socket.write(query('begin'))
      raw.socket.write(query(LARGE))
      await sleep(20)
      assert.deepEqual(await texts(), [])
      raw.socket.resume()
      await raw.closed
    })
  })

  describe('malformed input', () => {
    const isAlive = async () => {
      const client = await connect()
      assert.equal((await client.query('select 1 as a')).rows[0].a, 1)
      await client.end()
      await texts()
    }

    for (const [name, bytes] of [
      ['an unknown type', Buffer.from('~\0\0\0\x04')],
      ['a negative length', Buffer.from([0x51, 0xff, 0xff, 0xff, 0xff])],
      ['a length above the limit', Buffer.from([0x51, 0x40, 0, 0, 0])],
      ['a name without an end', message('B', Buffer.from('abc'))],
      ['a message within COPY', Buffer.concat([query('copy notes from stdin'), query('select 1')])],
      ['a function call', message('F', Buffer.alloc(10))],
    ] as const)
      it(`with ${name} disconnects that client only`, async () => {
        const other = await connect()
        const raw = await connectRaw(SESSION, bytes)
        await raw.closed
        assert.match(raw.received(), /SFATAL\0/)
        await other.query('select 1')
        await isAlive()
      })

    it('leaves the service running, even if it is random', async () => {
      const random = seedRandom('malformed input of the socket')
      const bytes = (length: number) => Buffer.from(Array.from({ length }, () => random.below(256)))
      const TYPES = [...CLIENT_MESSAGES, '\0', '~']
      const STATEMENTS = [
        'select 1',
        'begin',
        'commit',
        'selec',
        'copy notes from stdin',
        'deallocate all',
        'select 1; copy notes from stdin',
        'copy notes to stdout',
        'set role none',
        '',
      ]
      const sockets: Socket[] = []
      for (let round = 0; round < 200; round += 1) {
        const parts = Array.from({ length: 1 + random.below(8) }, () => {
          const type = random.pick(TYPES)
          const content = random.pick([
            () => bytes(random.below(40)),
            () => Buffer.from(`${random.pick(STATEMENTS)}\0`),
            () => Buffer.from(`\0${random.pick(STATEMENTS)}\0\0\0`),
            () => Buffer.from('\0\0\0\0\0\0\0\0'),
            () => Buffer.from('Sx\0'),
            () => Buffer.alloc(0),
          ])()
          return message(type, content)
        })
        const first = random.pick([SESSION, SESSION, SESSION, bytes(random.below(30))])
        const whole = Buffer.concat([first, ...parts])
        const raw = await connectRaw(whole.subarray(0, 1 + random.below(whole.length)))
        sockets.push(raw.socket)
        if (round % 20 === 19) {
          await sleep(10)
          for (const socket of sockets.splice(0)) socket.destroy()
          await isAlive()
        }
      }
    })
  })
})
