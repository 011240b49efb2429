import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { CLIENT_PACKETS, READY, SESSION, setUpSocketTest, until } from '#test/embedded-socket.ts'
import { parse, query } from './messages.ts'

const { bind, execute, flush } = CLIENT_PACKETS

setFlagsFromString('--expose-gc')
// as: the flag adds it
const collectGarbage = runInNewContext('gc') as () => void
/** Returns the bytes of buffers that are in use. */
function collected() {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

const MEBIBYTE = 2 ** 20
const SHORT_IDLE_MS = 400

describe('a connection to the embedded database', () => {
  const socket = setUpSocketTest()

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
        const raw = await socket.connectRaw(SESSION)
        await raw.until(READY)
        raw.socket.write(Buffer.concat([...statements]))
        await sleep(30)
        raw.socket.destroy()
        assert.deepEqual(await socket.texts(), [])
        await sql`insert into notes (text) values ('later')`.execute(socket.db)
        assert.deepEqual(await socket.texts(), ['later'])
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
        const stop = await socket.embedded.listen(() => (count += 1))
        const read = () =>
          sql<{
            text: string
          }>`select text, ${'漢'}::text as other, now()::text as time from notes`.execute(socket.db)
        await sql`insert into notes (text) values ('before')`.execute(socket.db)
        await read()
        const client = await socket.connect()
        await client.query(statement)
        const { rows } = await read()
        assert.equal(rows[0]?.text, 'before')
        const { rows: state } = await sql<Record<string, unknown>>`select
          current_user::text as user, current_setting('timezone') as timezone,
          current_setting('datestyle') as datestyle, current_setting('client_encoding') as encoding,
          (select count(*)::integer from pg_locks where locktype = 'advisory') as locks,
          (select count(*)::integer from pg_cursors where is_holdable) as cursors,
          (select count(*)::integer from pg_prepared_statements where from_sql) as prepared,
          (select string_agg(name, ' ') from pg_listening_channels() name) as channels`.execute(
          socket.db,
        )
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
        await sql`insert into notes (text) values ('after'); notify mokuroku_changes`.execute(
          socket.db,
        )
        assert.deepEqual(await socket.texts(), ['before', 'after'])
        await until(() => count > 0)
        await stop()
      })

    it('is notified when a reported setting is reset', async () => {
      const raw = await socket.connectRaw(SESSION)
      await raw.until(READY)
      raw.socket.write(query(`set client_encoding = 'LATIN1'`))
      await raw.until('client_encoding\0LATIN1')
      await until(() => raw.received().lastIndexOf('UTF8') > raw.received().indexOf('LATIN1'))
    })

    it('is rolled back and closed if it is idle in a transaction', async () => {
      await socket.listenWith({ maxIdleMs: SHORT_IDLE_MS })
      const client = await socket.connect()
      await client.query('begin')
      await client.query(`insert into notes (text) values ('x')`)
      const [error] = (await once(client, 'error')) as [{ code: string }]
      assert.equal(error.code, '25P03')
      assert.deepEqual(await socket.texts(), [])
      assert.match(socket.logged.join(), /idle in a transaction/)
    })

    it('may be idle in a transaction as long as the client sends Flush messages', async () => {
      // Long enough to send the next message in time on a busy machine.
      const maxIdleMs = 2_000
      await socket.listenWith({ maxIdleMs })
      const raw = await socket.connectRaw(SESSION, query('begin'))
      for (let round = 0; round < 10; round += 1) {
        await sleep(maxIdleMs / 8)
        raw.socket.write(flush())
      }
      raw.socket.write(query('commit'))
      await raw.until('COMMIT')
    })

    it('may be idle outside a transaction', async () => {
      await socket.listenWith({ maxIdleMs: SHORT_IDLE_MS })
      const client = await socket.connect()
      await client.query('select 1')
      await sleep(SHORT_IDLE_MS * 2)
      await client.query('select 1')
    })

    it('ends when the service stops', async () => {
      const client = await socket.connect()
      await client.query('begin')
      const error = once(client, 'error') as Promise<[{ code: string }]>
      await socket.stop()
      assert.equal((await error)[0].code, '57P01')
      await socket.texts()
      await socket.listen()
    })
  })

  describe('a large result', () => {
    const LARGE = `select repeat('a', 1000) from generate_series(1, 100000)`

    it('does not fill memory while the client does not read, and arrives in full', async () => {
      const raw = await socket.connectRaw(SESSION)
      await raw.until(READY)
      const start = raw.received().length
      raw.socket.pause()
      const before = collected()
      raw.socket.write(query(LARGE))
      await sleep(50)
      await until(() => socket.texts().then(() => true))
      assert.ok(collected() - before < 20 * MEBIBYTE)
      let length = start
      raw.socket.removeAllListeners('data')
      raw.socket.on('data', (bytes) => (length += bytes.length))
      raw.socket.resume()
      await until(() => length - start > 100_000 * 1_011)
      assert.deepEqual(
        readdirSync(socket.dataDir).filter((name) => name.endsWith('unsent')),
        [],
      )
    })

    it('requested in a transaction disconnects a client that does not read it', async () => {
      await socket.listenWith({ maxIdleMs: SHORT_IDLE_MS })
      const raw = await socket.connectRaw(SESSION)
      await raw.until(READY)
      raw.socket.pause()
      raw.socket.write(query('begin'))
      raw.socket.write(query(LARGE))
      await sleep(20)
      assert.deepEqual(await socket.texts(), [])
      raw.socket.resume()
      await raw.closed
    })
  })
})
