import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fingerprint, importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { onEmptyCatalog } from '#test/empty-catalog.ts'
import { sourceRecords } from '#test/source-records.ts'
import type { Database } from '../../db/database.ts'
import type { SourceImportOptions } from '../import-source.ts'
import type { TableNeeds } from '../../sources/dump/dump-source.ts'
import type { SourceRecord } from '../../sources/records/record.ts'
import { DUMP_SOURCES } from '../sources.ts'
import { shrinkNames } from './shrink.ts'
import { tablesToCheck } from './shrink-error.ts'

const { galgame, person, staff } = sourceRecords

const some = <Item>(count: number, make: (number: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index + 1))
const people = (count: number) => some(count, (number) => person(`s${number}`, { intro: 'Known.' }))
const works = (count: number, make: (number: number) => SourceRecord) => some(count, make)

it('a rejection names only tables that the source’s dump contains', () => {
  for (const { source, tables: needs } of Object.values(DUMP_SOURCES)) {
    const { required, optional, replacements = {} }: TableNeeds = needs
    const tables = { ...required, ...optional, ...replacements }
    const named = [...shrinkNames()].flatMap((name) => tablesToCheck(source, name))
    assert.deepEqual(
      named.filter((table) => !(table in tables)),
      [],
      source,
    )
    assert.ok(named.length > 20, source)
  }
})

describeOnDatabase('losing', (engine) => {
  let db: Database
  const { run, read } = onEmptyCatalog(engine, (opened) => {
    db = opened.db
  })
  const importAll = (records: SourceRecord[], options: SourceImportOptions = {}) =>
    importRecords(db, 'vndb', records, { isWhole: () => true, ...options })

  /** @param advised names that the message suggests allowing */
  async function assertRefused(records: SourceRecord[], losses: string, advised: string) {
    const before = await fingerprint(db)
    const advice = advised.includes('.')
      ? 'Check the dump for missing rows and values. If'
      : 'Check that the dump is complete. For a partial dump, add --part; if'
    await assert.rejects(importAll(records), {
      name: 'ShrinkError',
      message: `Nothing was imported, because the import would remove ${losses}. ${advice} this is intended, add --allow-shrink ${advised}`,
    })
    assert.deepEqual(await fingerprint(db), before)
  }

  it('more than five percent of the entries of a kind is rejected', async () => {
    await importAll(people(140))
    await assertRefused(people(132), '8 of 140 of person (from staff, staff_alias)', 'person')
    await importAll(people(133))
    assert.equal((await read('people', 'id')).length, 133)
  })

  it('at most five entries is accepted, whatever the share', async () => {
    await importAll(people(6))
    await importAll(people(1))
    assert.deepEqual(await read('people', 'id'), [['vndb:s1']])
  })

  it('more than five percent of a list is rejected, even if the works stay', async () => {
    const credited = (count: number) =>
      galgame('v1', {}, staff(...some(count, (number) => `s${number}`)))
    await importAll([credited(20), ...people(20)])
    await assertRefused(
      [galgame('v1'), ...people(20)],
      '20 of 20 of galgame.staff (from vn_staff, staff_alias)',
      'galgame.staff',
    )
    await assertRefused(
      [credited(14), ...people(20)],
      '6 of 20 of galgame.staff (from vn_staff, staff_alias)',
      'galgame.staff',
    )
    await importAll([credited(15), ...people(20)])
  })

  it('items of some works is not offset by gains in other works', async () => {
    const aliased = (first: number, second: number) => [
      galgame('v1', { aliases: some(first, String) }),
      galgame('v2', { aliases: some(second, String) }),
    ]
    await importAll(aliased(10, 10))
    await assertRefused(
      aliased(1, 100),
      '9 of 20 of galgame.aliases (from vn, vn_titles)',
      'galgame.aliases',
    )
  })

  it('more than five percent of the values of a field is rejected', async () => {
    const dated = (number: number) => galgame(`v${number}`, { release_date: '2004-04-28' })
    await importAll(works(10, dated))
    await assertRefused(
      works(10, (number) => (number > 4 ? galgame(`v${number}`) : dated(number))),
      '6 of 10 of galgame.release_date (from releases_vn, releases)',
      'galgame.release_date',
    )
  })

  it('voice actors is rejected, even if the characters stay', async () => {
    const cast = (actors: { ref: string }[]) =>
      works(6, (number) =>
        galgame(`v${number}`, {}, { characters: [{ ref: 'c1', role: 'MAIN', actors }] }),
      )
    await importAll(cast([{ ref: 's1' }]))
    await assertRefused(
      cast([]),
      '6 of 6 of galgame.actors (from vn_seiyuu, staff_alias)',
      'galgame.actors',
    )
  })

  describe('data is accepted', () => {
    it('if each loss is allowed explicitly, or any loss is allowed', async () => {
      await importAll(people(20))
      const fewer = some(12, (number) => person(`s${number}`))
      await assert.rejects(
        importAll(fewer, { allowShrink: new Set(['person']) }),
        /remove 12 of 20 of person\.intro \(from staff, staff_alias\)\. /,
      )
      await importAll(fewer, { allowShrink: new Set(['person', 'person.intro']) })
      await importAll(people(1), { allowShrink: 'all' })
      assert.equal((await read('people', 'id')).length, 1)
    })

    it('if it consists only of mentions, which the catalog does not show', async () => {
      const mentioning = (count: number) => {
        const mentions = some(count, (number) => ({
          source: 'vndb',
          external_id: `v${number}`,
          label: '本篇',
        }))
        return [galgame('1', {}, { mentions })]
      }
      await importAll(mentioning(20))
      await importAll(mentioning(1))
    })

    it('if the records are partial, in which case missing records stay', async () => {
      await importAll(people(20))
      await run('vndb', ...people(1))
      assert.equal((await read('people', 'id')).length, 20)
    })

    it('if the missing records belong to a source other than the imported one', async () => {
      await importAll(people(20))
      await importRecords(db, 'bangumi', [person('1')], { isWhole: () => true })
      assert.equal((await read('people', 'id')).length, 21)
    })
  })
})
