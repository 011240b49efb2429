import assert from 'node:assert/strict'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { startFaultyProxy } from '#test/faulty-proxy.ts'
import { asAdmin, createDatabase, describeOnEachDatabase } from '#test/databases.ts'
import { asAnotherProcess } from '#test/refuse-second-connections.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { openDatabase, type Database } from './database.ts'
import { isUniqueViolation } from './constraint-errors.ts'

describeOnEachDatabase('a database', (engine) => {
  let test: OpenTestDatabase
  let db: Database
  before(async () => {
    test = await openTestDatabase(engine)
    db = test.db
    await sql`create table notes (id bigint generated always as identity, text text not null)`.execute(
      db,
    )
  })
  beforeEach(() => sql`truncate notes`.execute(db))
  after(() => test.remove())

  const write = (trx: Database, text: string) =>
    sql`insert into notes (text) values (${text})`.execute(trx)
  const readNotes = async () => {
    const { rows } = await sql<{ text: string }>`select text from notes order by id`.execute(db)
    return rows.map(({ text }) => text)
  }

  const VALUES: [expression: string, value: unknown][] = [
    ['9007199254740991::bigint', Number.MAX_SAFE_INTEGER],
    ['-1::int8', -1],
    ['(select count(*) from (values (1), (2)) list)', 2],
    ['7::int', 7],
    ['8.5::numeric(3, 1)', 8.5],
    ['1280.00::numeric(12, 2)', 1280],
    ['(select avg(n) from (values (1), (2)) list (n))', 1.5],
    ["'2004-04-28'::date", '2004-04-28'],
    ["'2004-04-28T12:34:56.789+09:00'::timestamptz(3)", new Date('2004-04-28T03:34:56.789Z')],
    ["'2004-04-28 00:00:00+00'::timestamptz", new Date('2004-04-28T00:00:00Z')],
    [
      `'{"a": [1, 2.5, null], "b": {"c": "絵"}, "d": "2004-04-28"}'::jsonb`,
      { a: [1, 2.5, null], b: { c: '絵' }, d: '2004-04-28' },
    ],
    ["'null'::jsonb", null],
    ["'3'::jsonb", 3],
    ["array['a', null]::text[]", ['a', null]],
    ['true', true],
    ['null::bigint', null],
    ['null::date', null],
  ]
  for (const [expression, value] of VALUES)
    it(`reads ${expression}, with and without a prepared statement`, async () => {
      const { rows: plain } = await sql<object>`select ${sql.raw(expression)}`.execute(db)
      const { rows: prepared } =
        await sql<object>`select ${sql.raw(expression)} where ${'x'}::text <> ''`.execute(db)
      assert.deepEqual(
        [plain, prepared].flat().map((row) => Object.values(row)),
        [[value], [value]],
      )
    })

  it('stores values unchanged', async () => {
    const time = new Date('2026-11-18T01:02:03.456Z')
    const json = { name: '絵', list: [1, null], text: 'a"b\\c' }
    const { rows } = await sql<Record<string, unknown>>`
      select
        ${Number.MAX_SAFE_INTEGER}::bigint as id,
        ${8.5}::numeric(3, 1) as rate,
        ${'2004-04-28'}::date as day,
        ${time}::timestamptz as time,
        ${JSON.stringify(json)}::jsonb as json,
        ${['a', 'b,"c']}::text[] as list,
        ${'5'}::text as text,
        ${null}::bigint as nothing`.execute(db)
    assert.deepEqual(rows, [
      {
        id: Number.MAX_SAFE_INTEGER,
        rate: 8.5,
        day: '2004-04-28',
        time,
        json,
        list: ['a', 'b,"c'],
        text: '5',
        nothing: null,
      },
    ])
  })

  it('returns the number of changed rows', async () => {
    await write(db, 'one')
    await write(db, 'two')
    const { numAffectedRows } = await sql`delete from notes where text <> ${'x'}`.execute(db)
    assert.equal(numAffectedRows, 2n)
  })

  it('runs several statements without parameters atomically in one call', async () => {
    await sql`insert into notes (text) values ('one'); insert into notes (text) values ('two')`.execute(
      db,
    )
    await assert.rejects(sql`insert into notes (text) values ('three'); select 1 / 0`.execute(db))
    assert.deepEqual(await readNotes(), ['one', 'two'])
  })

  it('excludes other statements from an open transaction', async () => {
    let outside: Promise<unknown> = Promise.resolve()
    const undone = db.transaction().execute(async (trx) => {
      await write(trx, 'inside')
      outside = asAnotherProcess(() => write(db, 'outside'))
      await sleep(50)
      await write(trx, 'inside again')
      throw new Error('undo')
    })
    await assert.rejects(undone, /undo/)
    await outside
    assert.deepEqual(await readNotes(), ['outside'])
  })

  it('hides uncommitted changes', async () => {
    let seen: Promise<string[]> = Promise.resolve([])
    const undone = db.transaction().execute(async (trx) => {
      await write(trx, 'uncommitted')
      seen = asAnotherProcess(readNotes)
      await sleep(50)
      throw new Error('undo')
    })
    await assert.rejects(undone, /undo/)
    assert.deepEqual(await seen, [])
  })

  it('isolates two concurrent transactions', async () => {
    const slowly = (names: string[], end: () => void) =>
      db.transaction().execute(async (trx) => {
        for (const name of names) {
          await write(trx, name)
          await sleep(20)
        }
        end()
      })
    const [committed, undone] = await Promise.allSettled([
      slowly(['a1', 'a2', 'a3'], () => {}),
      slowly(['b1', 'b2', 'b3'], () => {
        throw new Error('undo')
      }),
    ])
    assert.deepEqual([committed.status, undone.status], ['fulfilled', 'rejected'])
    assert.deepEqual(await readNotes(), ['a1', 'a2', 'a3'])
  })

  it('eventually serves every one of many concurrent callers', async () => {
    const texts = Array.from({ length: 60 }, (_, index) => `note ${index}`)
    const outcomes = await Promise.allSettled(
      texts.map((text, index) =>
        index % 3 === 0
          ? db.transaction().execute(async (trx) => {
              await write(trx, text)
              if (index % 2 === 0) throw new Error('undo')
            })
          : write(db, text),
      ),
    )
    const committed = texts.filter((_, index) => outcomes[index]?.status === 'fulfilled')
    assert.equal(committed.length, 50)
    assert.deepEqual((await readNotes()).toSorted(), committed.toSorted())
  })

  it('rejects the commit of a transaction with a failed statement, even if the error was ignored', async () => {
    const careless = db.transaction().execute(async (trx) => {
      await write(trx, 'lost')
      await sql`select 1 / ${0}::int`.execute(trx).catch(() => {})
    })
    await assert.rejects(careless, { name: 'AbortedTransactionError' })
    await write(db, 'kept')
    assert.deepEqual(await readNotes(), ['kept'])
  })

  it('recognizes a unique violation by the name of its constraint', async () => {
    const add = (email: string, name = 'A') =>
      db.insertInto('accounts').values({ email, password_hash: 'x', name }).execute()
    const errorOf = (promise: Promise<unknown>) =>
      promise.then(
        () => undefined,
        (error: unknown) => error,
      )
    await add('a@example.org')
    const twice = await errorOf(add('A@example.org'))
    assert.equal(isUniqueViolation(twice, 'accounts_email_key'), true)
    assert.equal(isUniqueViolation(twice, 'accounts_pkey'), false)
    const nameless = await errorOf(add('b@example.org', ''))
    assert.ok(nameless instanceof Error && 'code' in nameless && nameless.code === '23514')
    assert.equal(isUniqueViolation(nameless, 'accounts_email_key'), false)
    assert.equal(
      isUniqueViolation({ code: '23505', constraint: 'accounts_email_key' }, 'accounts_email_key'),
      false,
    )
    assert.equal(isUniqueViolation(undefined, 'accounts_email_key'), false)
  })
})

describeOnEachDatabase('closing a database', (engine) => {
  const open = (location: { databaseUrl: string | undefined; dataDir: string }) =>
    openDatabase({ ...location, databasePoolSize: 2 })

  it('waits for statements in flight and rejects later ones', async () => {
    const database = await createDatabase(engine, 'sample')
    const first = await open(database)
    const { db } = first
    const started = Promise.withResolvers<void>()
    const inFlight = db.transaction().execute(async (trx) => {
      await sql`create table notes (text text)`.execute(trx)
      started.resolve()
      await sleep(100)
      await sql`insert into notes values ('kept')`.execute(trx)
    })
    await started.promise
    // The embedded database queues them behind the transaction, while a server has a different connection for them.
    const others = [1, 2, 3].map((number) => sql`select ${number}::int`.execute(db))
    if (engine === 'server') await Promise.all(others)
    await Promise.all([first.close(), inFlight, ...others])
    await assert.rejects(sql`select 1`.execute(db), /destroyed/)

    const second = await open(database)
    assert.deepEqual((await sql`select text from notes`.execute(second.db)).rows, [
      { text: 'kept' },
    ])
    await second.close()
    await database.remove()
  })

  it('closes all files even if no statement was run', async () => {
    const database = await createDatabase(engine, 'sample')
    await (await open(database)).close()
    const descriptors = existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd') : []
    const stillOpen = descriptors.filter((descriptor) => {
      try {
        return readlinkSync(join('/proc/self/fd', descriptor)).startsWith(database.dataDir)
      } catch {
        return false
      }
    })
    assert.deepEqual(stillOpen, [])
    await database.remove()
  })
})

describe('the time zone of a server', () => {
  it('does not affect any value', async () => {
    const database = await createDatabase('server', 'nothing')
    const url = database.databaseUrl ?? ''
    const name = new URL(url).pathname.slice(1)
    await asAdmin(url, `alter database "${name}" set timezone to 'Asia/Tokyo'`)
    const { db, close } = await openDatabase(database)
    const { rows } = await sql`
      select '2004-04-28T00:00:00Z'::timestamptz as time, '2004-04-28'::date as day`.execute(db)
    assert.deepEqual(rows, [{ time: new Date('2004-04-28T00:00:00Z'), day: '2004-04-28' }])
    await close()
    await database.remove()
  })
})

describe('losing the connection to a server', () => {
  for (const [when, use] of [
    ['while a statement runs', (db: Database) => sql`select pg_sleep(20)`.execute(db)],
    [
      'between two statements of a transaction',
      (db: Database) =>
        db.transaction().execute(async (trx) => {
          await sql`select 1`.execute(trx)
          await sleep(600)
          await sql`select 1`.execute(trx)
        }),
    ],
  ] as const)
    it(`${when} makes only that statement or transaction fail`, async () => {
      const database = await createDatabase('server', 'nothing')
      const proxy = await startFaultyProxy(database.databaseUrl ?? '')
      const lost: object[] = []
      const { db, close } = await openDatabase(
        { ...database, databaseUrl: proxy.url },
        { warn: (facts) => lost.push(facts) },
      )
      await sql`select 1`.execute(db)
      const using = use(db)
      setTimeout(proxy.cut, 200)
      await assert.rejects(using)
      proxy.restore()
      await sql`select 1`.execute(db)
      assert.equal(lost.length, 1)
      await close()
      await proxy.close()
      await database.remove()
    })
})
