import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import type pg from 'pg'
import {
  CLIENT_PACKETS,
  hasSqlState,
  SESSION,
  setUpSocketTest,
  until,
} from '#test/embedded-socket.ts'
import { RowCopier } from '../../row-copier.ts'
import type { Tables } from '../../tables.ts'
import { connectToService } from './connect.ts'
import { closeStatement, message, parse, query, sync } from './messages.ts'

const { bind, execute } = CLIENT_PACKETS

describe('a client of the embedded database', () => {
  const socket = setUpSocketTest()

  describe('statements', () => {
    it('return rows, notices and errors', async () => {
      const client = await socket.connect()
      const notices: unknown[] = []
      client.on('notice', ({ message: text }) => notices.push(text))
      assert.deepEqual((await client.query('select $1::text as a', ['漢字'])).rows, [{ a: '漢字' }])
      await client.query(`do $$ begin raise notice 'a notice'; end $$`)
      assert.deepEqual(notices, ['a notice'])
      await assert.rejects(client.query('selec'), hasSqlState('42601'))
      await assert.rejects(client.query('select 1 / $1', [0]), hasSqlState('22012'))
      const results: unknown = await client.query('select 1 as a; select 2 as b')
      // as: the types omit that several statements return a list
      assert.deepEqual((results as pg.QueryResult[]).at(1)?.rows, [{ b: 2 }])
    })

    it('wait for an open transaction of the service, and make the service wait for the client’s', async () => {
      const client = await socket.connect()
      const waiting = await socket.db.transaction().execute(async (trx) => {
        await sql`insert into notes (text) values ('first')`.execute(trx)
        const promise = client.query('select text from notes')
        await sleep(50)
        await sql`insert into notes (text) values ('second')`.execute(trx)
        return { promise }
      })
      assert.equal((await waiting.promise).rowCount, 2)
      await client.query('begin')
      await client.query(`insert into notes (text) values ('third')`)
      const seen = socket.texts()
      await sleep(50)
      await client.query(`insert into notes (text) values ('fourth')`)
      await client.query('commit')
      assert.deepEqual(await seen, ['first', 'second', 'third', 'fourth'])
    })

    it('may be prepared by several clients under the same name', async () => {
      const [one, two] = [await socket.connect(), await socket.connect()]
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
          where starts_with(name, 'socket_')`.execute(socket.db)
        return rows.length === 0
      })
    })

    it('do not survive a Sync if they are unnamed, because another client may then use the connection', async () => {
      const raw = await socket.connectRaw(SESSION, parse('', 'select 1'), sync())
      await raw.until('1\0\0\0\x04')
      raw.socket.write(Buffer.concat([bind('', ''), execute(), sync()]))
      await raw.until('C26000')
    })

    it('are deallocated when the client closes them', async () => {
      const raw = await socket.connectRaw(
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
      const client = await socket.connect()
      await socket.withFullDisk(async () => {
        await until(() => client.query('delete from notes').then(() => false, hasSqlState('53100')))
        await assert.rejects(
          client.query('delete from notes where id = $1', [1]),
          hasSqlState('53100'),
        )
        await assert.rejects(client.query('copy notes (text) from stdin'), hasSqlState('53100'))
        await client.query('select $1::integer', [1])
      })
      await until(() =>
        client.query('delete from notes').then(
          () => true,
          () => false,
        ),
      )
    })

    it('can notify the service', async () => {
      let count = 0
      const stop = await socket.embedded.listen(() => (count += 1))
      const raw = await socket.connectRaw(SESSION, query('notify mokuroku_changes; notify others'))
      await raw.until('NOTIFY')
      await until(() => count === 1)
      assert.ok(!raw.received().includes('mokuroku_changes'))
      await sql`notify mokuroku_changes`.execute(socket.db)
      await until(() => count === 2)
      await stop()
    })
  })

  describe('COPY FROM STDIN', () => {
    it('loads rows in chunks, through the program’s own client', async () => {
      const service = await connectToService(socket.dataDir)
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
      assert.equal((await socket.texts()).length, 30_000)
    })

    it('receives its data after the statement', async () => {
      const raw = await socket.connectRaw(SESSION, query('copy notes (text) from stdin'))
      await raw.until('G\0\0\0\x07')
      raw.socket.write(message('d', Buffer.from('one\ntw')))
      raw.socket.write(message('d', Buffer.from('o\n')))
      await sleep(20)
      assert.deepEqual(await socket.texts(), [])
      raw.socket.write(message('c'))
      await raw.until('COPY 2')
      assert.deepEqual(await socket.texts(), ['one', 'two'])
    })

    it('is undone if the client fails or vanishes', async () => {
      const failing = await socket.connectRaw(SESSION, query('copy notes (text) from stdin'))
      failing.socket.write(message('d', Buffer.from('one\n')))
      failing.socket.write(message('f', Buffer.from('no more\0')))
      await failing.until('C57014')
      const vanishing = await socket.connectRaw(
        SESSION,
        query('begin'),
        query('copy notes (text) from stdin'),
      )
      await vanishing.until('G\0\0\0\x07')
      vanishing.socket.write(message('d', Buffer.from('one\n')))
      vanishing.socket.destroy()
      assert.deepEqual(await socket.texts(), [])
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
        const raw = await socket.connectRaw(SESSION, ...statements)
        await raw.until('C57014')
        raw.socket.write(query('select 12345'))
        await raw.until('12345')
        assert.deepEqual(await socket.texts(), [])
      })
  })
})
