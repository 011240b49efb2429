import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { importRecords } from '#test/catalog.ts'
import { setUpOperator } from '#test/operator.ts'
import { startMokuroku } from '#test/program.ts'
import { sourceRecords } from '#test/source-records.ts'
import { openDatabase, type Database } from '../src/db/database.ts'
import { importSource } from '../src/curation/import-source.ts'
import type { SourceRecord } from '../src/sources/records/record.ts'

const { galgame, person, staff } = sourceRecords

describe('mokuroku matches', () => {
  let db: Database
  let close: () => Promise<void>
  after(() => close())
  const operator = setUpOperator('empty')
  before(async () => {
    ;({ db, close } = await openDatabase({ ...operator.database(), databasePoolSize: 2 }))
    await importRecords(db, 'vndb', VNDB)
    await importRecords(db, 'bangumi', BANGUMI)
  })

  /** Inserts six games with the same names in two sources. The first has a writer. */
  const games = (prefix: string): SourceRecord[] =>
    Array.from({ length: 6 }, (_, index) =>
      galgame(
        `${prefix}${index}`,
        { origin_title: `同じ題${index}` },
        index === 0 ? staff(`${prefix}s`, `${prefix}t`) : {},
      ),
    )
  const VNDB = [
    ...games('v'),
    person('vs', { name: '麻枝 准' }),
    person('vt', { name: '涼元 悠一' }),
  ]
  // A third person has the same name, so only the work can identify the writer.
  const BANGUMI = [
    ...games('1'),
    person('1s', { name: '麻枝准' }),
    person('1t', { name: '涼元悠一' }),
    person('1u', { name: '麻枝准' }),
  ]

  const run = (...args: string[]) => operator.run(['matches', ...args])
  async function numberOf(title: string): Promise<number> {
    const { rows } = await sql<{ id: number }>`
      select matches.id from matches
      join source_records record using (kind, source, external_id)
      where record.fields ->> 'origin_title' = ${title}`.execute(db)
    return rows[0]?.id ?? 0
  }
  const joinedPeople = async () =>
    (
      await sql<{ name: string }>`
        select min(fields ->> 'name') as name from source_records where kind = 'person'
        group by entry_id having count(*) > 1`.execute(db)
    ).rows.length

  it('reports that an accepted pair had previously been rejected', async () => {
    const last = String(await numberOf('同じ題5'))
    assert.match((await run('reject', last)).output, /: rejected\.\n$/)
    const { output } = await run('accept', last, last)
    assert.match(
      output,
      /^Match \d+: galgame \d+ is now part of \d+\. It was rejected before\.\nThe next /,
    )
  })

  it('accepts a range in one transaction, after which the next import joins the people of those works', async () => {
    const [first, last] = [await numberOf('同じ題0'), await numberOf('同じ題4')]
    const { status, output, errors } = await run('accept', `${first}-${last}`)
    assert.deepEqual([status, errors], [0, ''])
    assert.equal(output.match(/is now part of/g)?.length, 5)
    assert.match(
      output,
      /\nThe next import of either source joins their people and characters\.\n$/,
    )
    const { rows } = await sql<{ times: number }>`
      select count(distinct decided_at) as times from matches
      where kind = 'galgame' and id between ${first} and ${last}`.execute(db)
    assert.equal(rows[0]?.times, 1)
    assert.equal(await joinedPeople(), 0)
    assert.match((await run('list', '--kind', 'person')).output, /涼元/)
    await importRecords(db, 'bangumi', BANGUMI)
    assert.equal(await joinedPeople(), 2)
    // Their pair no longer waits for a decision.
    assert.doesNotMatch((await run('list', '--kind', 'person')).output, /涼元/)
    assert.match(
      (await run('accept', `${first}-${last}`)).output,
      /^There are no open pairs with these numbers\.\n$/,
    )
  })

  it('accepts at most 100 pairs in one transaction', async () => {
    const people = (prefix: string) =>
      Array.from({ length: 101 }, (_, index) =>
        person(`${prefix}-${index}`, { name: `同じ名前${index}` }),
      )
    await importRecords(db, 'vndb', people('s'))
    await importRecords(db, 'bangumi', people('9'))
    const { rows: open } = await sql<{ first: number; last: number }>`
      select min(id) as first, max(id) as last from matches where state = 'open' and external_id like 's-%'`.execute(
      db,
    )
    const { output } = await run('accept', `${open[0]?.first}-${open[0]?.last}`)
    assert.equal(output.match(/is now part of/g)?.length, 101)
    const { rows } = await sql<{ pairs: number }>`
      select count(*) as pairs from matches where external_id like 's-%' group by decided_at order by 1`.execute(
      db,
    )
    assert.deepEqual(
      rows.map(({ pairs }) => pairs),
      [1, 100],
    )
  })

  it('reports which import a decision is waiting for', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()
    const running = importSource(db, 'ranobedb', async function* () {
      begin()
      await held
      yield* []
    })
    await hasBegun
    const environment = operator.environment()
    const waiting = startMokuroku(['matches', 'reject', '999999'], { environment })
    await waiting.waitForOutput('is running.').finally(release)
    await running
    assert.match(
      (await waiting.ended).errors,
      new RegExp(
        `^Waiting: Import \\d+ of ranobedb \\(process ${process.pid} on .*\\) is running\\.\n(?:\\{.*\n)*Match \\d+ does not exist`,
      ),
    )
  })

  it('rejects a malformed range, and lists the pairs it decided before it reached a nonexistent one', async () => {
    assert.equal((await run('accept', '5-1')).status, 2)
    assert.equal((await run('accept', '1-x')).status, 2)
    const decided = String(await numberOf('同じ題1'))
    const { status, errors } = await run('accept', decided, '999999')
    assert.equal(status, 1)
    assert.equal(errors, `Match 999999 does not exist. Already decided: ${decided}.\n`)
  })
})
