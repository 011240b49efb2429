import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { asAnotherProcess } from '#test/refuse-second-connections.ts'
import { eventually } from '#test/browser.ts'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { createAccounts } from '#test/ratings.ts'
import { startService, type TestService } from '#test/service.ts'
import { sourceRecords } from '#test/source-records.ts'
import { changeProgress, findProgressOf } from '../../ratings/progress/queries.ts'
import { mergeEntries, unmergeEntries } from './merge-entries.ts'

const { galgame } = sourceRecords

describeOnDatabase('progress in merged works', (engine) => {
  let service: TestService
  let db: TestService['db']
  let from: number
  let into: number
  let third: number
  before(async () => {
    service = await startService({ engine, content: 'empty' })
    db = service.db
    await importRecords(db, 'vndb', [galgame('v1', {}), galgame('v2', {}), galgame('v3', {})])
    const { rows } = await sql<{ id: number }>`
      select entry_id as id from source_records where kind = 'galgame' order by external_id`.execute(
      db,
    )
    ;[from = 0, into = 0, third = 0] = rows.map(({ id }) => id)
  })
  after(() => service.close())

  const write = (accountId: number, workId: number, change: object) =>
    changeProgress(db, { accountId, kind: 'galgame', workId }, null, () => change)
  const stored = async () =>
    (await sql`select to_jsonb(p) as p from progress p order by account_id, work_id`.execute(db))
      .rows
  const history = async () =>
    (await sql`select * from rating_changes order by account_id, id`.execute(db)).rows
  const pair = () => ({ kind: 'galgame', from, into }) as const

  it('is combined without losing notes, labels or values, and returns when the merge is undone', async () => {
    const [mover, both, changer] = await createAccounts(db, 3)
    assert.ok(mover && both && changer)
    await write(mover, from, { started_on: '2024-05', private_note: 'Moved.' })
    await write(both, into, {
      minutes: 10,
      started_on: '2001',
      private_note: 'Old.',
      labels: ['a', 'b'],
    })
    await write(both, from, { minutes: 20, private_note: 'New.', labels: ['b', 'c'] })
    await write(changer, from, { minutes: 5 })
    const [progress, changes] = [await stored(), await history()]
    await mergeEntries(db, pair())
    const of = async (account: number) =>
      (await findProgressOf(db, account, [from, into])).get(into)
    assert.equal((await of(mover))?.private_note, 'Moved.')
    const combined = await of(both)
    assert.deepEqual(
      [combined?.minutes, combined?.started_on, combined?.private_note, combined?.labels],
      [20, '2001', 'New.\n\nOld.', ['b', 'c', 'a']],
    )
    const { rows } = await sql<{ fields: { minutes?: unknown } }>`
      select fields from rating_changes where account_id = ${both} order by id desc limit 1`.execute(
      db,
    )
    assert.deepEqual(rows[0]?.fields.minutes, { from: 10, to: 20 })
    await unmergeEntries(db, pair())
    assert.deepEqual(await stored(), progress)
    assert.deepEqual(await history(), changes)
    await mergeEntries(db, pair())
    await write(changer, into, { minutes: 6 })
    await unmergeEntries(db, pair())
    const works = await findProgressOf(db, changer, [from, into])
    assert.deepEqual([works.get(from)?.minutes, works.get(into)?.minutes], [5, 6])
  })

  it('returns without a note that the user has deleted since, and with at most fifty labels', async () => {
    const [account] = await createAccounts(db, 1)
    assert.ok(account)
    await write(account, from, { private_note: 'Gone.', labels: ['a', 'b'], minutes: 1 })
    await mergeEntries(db, pair())
    await write(account, into, { private_note: '', labels: [] })
    const others = Array.from({ length: 49 }, (_, index) => `other ${index}`)
    await write(account, third, { labels: others })
    await unmergeEntries(db, pair())
    const works = await findProgressOf(db, account, [from, into, third])
    const restored = works.get(from)
    assert.deepEqual([restored?.private_note, restored?.labels, restored?.minutes], ['', ['a'], 1])
    assert.deepEqual(works.get(third)?.labels, others)
  })

  if (engine === 'server')
    it('is moved after a change that has already locked the work', async () => {
      const [changer] = await createAccounts(db, 1)
      assert.ok(changer)
      let merging: Promise<unknown> = Promise.resolve()
      const key = { accountId: changer, kind: 'galgame', workId: from } as const
      await changeProgress(db, key, null, async () => {
        await asAnotherProcess(async () => {
          merging = mergeEntries(db, pair())
          await eventually(async () => {
            const { rows } = await sql`
              select from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
            return rows.length > 0
          })
        })
        return { minutes: 8 }
      })
      await merging
      assert.equal((await findProgressOf(db, changer, [into])).get(into)?.minutes, 8)
      await unmergeEntries(db, pair())
    })
})
