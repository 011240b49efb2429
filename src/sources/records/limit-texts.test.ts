import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { onEmptyCatalog } from '#test/empty-catalog.ts'
import { sourceRecords } from '#test/source-records.ts'
import { formatRemarks } from '#test/format-remarks.ts'
import type { Database } from '../../db/database.ts'
import { textOfRemark } from '../../curation/remarks.ts'

const { galgame, person } = sourceRecords

describeOnDatabase('text from a source', (engine) => {
  let db: Database
  const { run } = onEmptyCatalog(engine, (opened) => {
    db = opened.db
  })
  async function recordOf(id: string) {
    // as: the selected columns
    const { rows } = await sql<{
      fields: Record<string, unknown>
      links: Record<string, object[]>
    }>`
      select fields, links from source_records where external_id = ${id}`.execute(db)
    return rows[0]
  }
  const shortOf = (length: number) => '長'.repeat(length)

  it('is dropped if it exceeds 1,000 characters in a field or list item', async () => {
    const { remarks } = await run(
      'bangumi',
      person('1', { trans_name: shortOf(1000), aliases: ['a', shortOf(1000)] }),
      person('2', { trans_name: shortOf(1001), aliases: ['a', shortOf(1001)] }),
      person('3', { name: shortOf(1001) }),
    )
    assert.deepEqual((await recordOf('1'))?.fields, {
      name: '1',
      trans_name: shortOf(1000),
      aliases: ['a', shortOf(1000)],
    })
    assert.deepEqual((await recordOf('2'))?.fields, { name: '2', aliases: ['a'] })
    assert.equal(await recordOf('3'), undefined)
    assert.deepEqual(formatRemarks(remarks), [
      { remark: 'person without a name; skipped', count: 1, example: '3' },
      { remark: 'person.aliases too long; left empty', count: 1, example: '2' },
      { remark: 'person.name too long; left empty', count: 1, example: '3' },
      { remark: 'person.trans_name too long; left empty', count: 1, example: '2' },
    ])
  })

  it('is truncated to 20,000 characters in a description, without splitting a character', async () => {
    const whole = `${shortOf(19_998)}😀`
    const { remarks } = await run(
      'bangumi',
      person('1', { intro: whole, trans_intro: `${whole}.` }),
      person('2', { intro: `${shortOf(19_999)}😀` }),
    )
    assert.deepEqual((await recordOf('1'))?.fields, { name: '1', intro: whole, trans_intro: whole })
    const { length, [length - 1]: last } = Array.from(
      String((await recordOf('2'))?.fields['intro']),
    )
    assert.deepEqual([length, last], [20_000, '\uFFFD'])
    assert.deepEqual(remarks.map((remark) => textOfRemark('en', remark)).toSorted(), [
      'person.intro too long; truncated',
      'person.trans_intro too long; truncated',
    ])
  })

  it('is dropped with its list item if it exceeds 20,000 characters, or if a key exceeds 1,000', async () => {
    const credit = (ref: string, length: number) => ({
      ref,
      role: 'MUSIC' as const,
      credited_as: shortOf(length),
    })
    const edition = (length: number) => ({ label: '愛蔵版', fields: { [shortOf(length)]: 'a' } })
    await run('bangumi', galgame('1', {}, { staff: [credit('1', 20_000), credit('2', 20_001)] }), {
      kind: 'manga',
      external_id: '2',
      fields: { name: '2', editions: [edition(1000), edition(1001)] },
    })
    assert.deepEqual((await recordOf('1'))?.links['staff'], [credit('1', 20_000)])
    assert.deepEqual((await recordOf('2'))?.fields['editions'], [edition(1000)])
  })
})
