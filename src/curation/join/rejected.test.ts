import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { emptyCatalog, importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { onEmptyCatalog } from '#test/empty-catalog.ts'
import { sourceRecords } from '#test/source-records.ts'
import type { Database } from '../../db/database.ts'
import type { Source, SourceRecord } from '../../sources/records/record.ts'
import { listMatches, type MatchState } from './list-matches.ts'
import { acceptMatches, rejectMatch } from './review.ts'

const { galgame, person, staff, sameAs } = sourceRecords

describeOnDatabase('a rejected pair', (engine) => {
  let db: Database
  const { run } = onEmptyCatalog(engine, (opened) => {
    db = opened.db
  })
  const whole = (source: Source, ...records: SourceRecord[]) =>
    importRecords(db, source, records, { isWhole: () => true, allowShrink: 'all' })

  async function matches(state: MatchState) {
    return (await listMatches(db, { state, page: 1, pageSize: 50 })).items
  }
  async function rejectAll() {
    for (const { id } of await matches('open')) await rejectMatch(db, id)
  }
  /** Deletes everything except decisions. */
  async function emptyAllBut(decisions: unknown[]) {
    await emptyCatalog(db)
    await sql`
      insert into matches (kind, source, external_id, other_source, other_external_id, rule, state)
      select kind, source, external_id, other_source, other_external_id, rule, state
      from jsonb_populate_recordset(null::matches, ${JSON.stringify(decisions)}::jsonb)`.execute(db)
  }
  const readDecisions = async () => (await sql`select * from matches`.execute(db)).rows

  /** Returns the entry of each record. Separate records belong to different entries. */
  async function entries(): Promise<Record<string, number>> {
    const { rows } = await sql<{ name: string; entry_id: number }>`
      select source || ':' || external_id as name, entry_id from source_records order by 1`.execute(
      db,
    )
    return Object.fromEntries(rows.map(({ name, entry_id }) => [name, entry_id]))
  }
  async function assertSeparate(a: string, b: string, name = '') {
    const found = await entries()
    assert.ok(found[a] && found[b], `${name}: both records exist`)
    assert.notEqual(found[a], found[b], name)
    assert.deepEqual(await matches('open'), [], name)
  }

  const VNDB = person('s1', { name: '片岡とも' })
  const BANGUMI = person('7', { name: '片岡とも' })
  const LINKED = person('s1', { name: '片岡とも' }, sameAs('bangumi', '7'))

  it('keeps the entries separate in a new database whatever the order of imports, even if one links to the other', async () => {
    await run('vndb', VNDB)
    await run('bangumi', BANGUMI)
    await rejectAll()
    const decisions = await readDecisions()
    for (const vndb of [VNDB, LINKED])
      for (const order of [
        ['vndb', 'bangumi'],
        ['bangumi', 'vndb'],
      ] as const) {
        await emptyAllBut(decisions)
        for (const source of [...order, ...order])
          await whole(source, source === 'vndb' ? vndb : BANGUMI)
        await assertSeparate(
          'vndb:s1',
          'bangumi:7',
          `${order.join()} ${vndb.same_as?.length} links`,
        )
        assert.equal((await matches('rejected')).length, 1)
      }
  })

  it('keeps the entries separate, with their former ids, when either disappears and returns', async () => {
    for (const withdrawnSource of ['vndb', 'bangumi'] as const) {
      await emptyCatalog(db)
      await run('vndb', VNDB)
      await run('bangumi', BANGUMI)
      await rejectAll()
      const before = await entries()
      await whole(withdrawnSource, person('another'))
      await whole(
        withdrawnSource === 'vndb' ? 'bangumi' : 'vndb',
        withdrawnSource === 'vndb' ? BANGUMI : LINKED,
      )
      await whole(withdrawnSource, person('another'), withdrawnSource === 'vndb' ? LINKED : BANGUMI)
      await assertSeparate('vndb:s1', 'bangumi:7', withdrawnSource)
      const { [`${withdrawnSource}:another`]: _, ...after } = await entries()
      assert.deepEqual(after, before)
    }
  })

  it('keeps the two people separate in a new database, even if their works are joined', async () => {
    const loads: [Source, SourceRecord[]][] = [
      ['vndb', [galgame('v1', {}, staff('s1'), sameAs('bangumi', '1')), VNDB]],
      ['bangumi', [galgame('1', {}, { staff: [{ ref: '7', role: 'MUSIC' }] }), BANGUMI]],
    ]
    for (const [source, records] of loads) await run(source, ...records)
    await rejectAll()
    const decisions = await readDecisions()
    // From here on, only the decision keeps the people separate.
    const agreeing: [Source, SourceRecord[]][] = [
      ['vndb', loads[0]?.[1] ?? []],
      ['bangumi', [galgame('1', {}, staff('7')), BANGUMI]],
    ]
    for (const order of [agreeing, agreeing.toReversed()]) {
      await emptyAllBut(decisions)
      for (const [source, records] of order) await whole(source, ...records)
      await assertSeparate('vndb:s1', 'bangumi:7')
      const found = await entries()
      assert.equal(found['vndb:v1'], found['bangumi:1'])
    }
  })

  it('keeps the entries separate if a third record is the same as both, whatever the order of imports', async () => {
    await run('vndb', VNDB)
    await run('bangumi', BANGUMI)
    await rejectAll()
    const decisions = await readDecisions()
    const loads: Partial<Record<Source, SourceRecord>> = {
      vndb: VNDB,
      bangumi: person('7', { name: '片岡とも' }, sameAs('ranobedb', 'r1')),
      ranobedb: person('r1', { name: 'Kataoka Tomo' }, sameAs('vndb', 's1')),
    }
    for (const order of [
      ['vndb', 'ranobedb', 'bangumi'],
      ['ranobedb', 'bangumi', 'vndb'],
      ['bangumi', 'vndb', 'ranobedb'],
    ] as const) {
      await emptyAllBut(decisions)
      for (const source of order) {
        const record = loads[source]
        if (record) await whole(source, record)
      }
      const found = await entries()
      assert.notEqual(found['vndb:s1'], found['bangumi:7'], order.join())
      assert.equal(
        new Set(Object.values(found)).size,
        2,
        `${order.join()}: the third record belongs to one of the two`,
      )
    }
  })

  it('separates the entries even if one of them was withdrawn when the pair was rejected', async () => {
    await run('vndb', VNDB)
    await run('bangumi', BANGUMI)
    const [match] = await matches('open')
    await acceptMatches(db, [match?.id ?? 0])
    await whole('bangumi', person('another'))
    await rejectMatch(db, match?.id ?? 0)
    await whole('bangumi', person('another'), BANGUMI)
    await assertSeparate('vndb:s1', 'bangumi:7')
  })
})
