import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { filesUnder, type Members } from '#test/archives.ts'
import { fingerprint } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { temporaryDumps } from '#test/dumps.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { CHECKOUT } from '#test/program.ts'
import { writeVndbDump } from '../../../bench/support/dumps/vndb.ts'
import { importSource } from '../../curation/import-source.ts'
import type { SourceRecord } from '../records/record.ts'
import { openSource } from '../../curation/sources.ts'

/** Returns a different value for a cell, with the same type and still a known value. */
function differentCell(cell: string): string {
  if (cell === '\\N') return cell
  if (cell === 't' || cell === 'f') return cell === 't' ? 'f' : 't'
  if (/^-?\d+$/.test(cell)) return String(Number(cell) + 1)
  const [, letters, number] = /^([a-z]{1,2})(\d+)$/.exec(cell) ?? []
  return letters ? `${letters}${Number(number) + 1}` : `${cell}~`
}

/** Returns the rows of characters, after changing the birthday of the first character, given as month and day. */
function withBirthday(dump: Members, birthday: string): string {
  const at = String(dump['db/chars.header']).trim().split('\t').indexOf('birthday')
  const [first = '', ...others] = String(dump['db/chars']).split('\n')
  return [first.split('\t').with(at, birthday).join('\t'), ...others].join('\n')
}

describeOnDatabase('importing a second VNDB dump', (engine) => {
  let database: OpenTestDatabase
  let dump: Members
  let tables: string[]
  const { folderOf } = temporaryDumps()
  before(async () => {
    database = await openTestDatabase(engine, 'empty')
    const folder = folderOf({})
    await writeVndbDump(folder, { works: 4, seed: 5 })
    dump = filesUnder(folder)
    // Users must agree on a vote, or the tag is dropped.
    dump['db/tags_vn'] = String(dump['db/tags_vn']).replaceAll(
      /\tv(\d+)\tu\d+\t-?\d\t/g,
      '\tv$1\tu1\t2\t',
    )
    dump['db/chars'] = withBirthday(dump, '1301')
    tables = Object.keys(dump).filter(
      (file) => !file.endsWith('.header') && String(dump[file]) !== '',
    )
  })
  after(() => database.remove())

  /**
   * Imports a dump.
   *
   * @returns the mapped records and the remarks
   */
  async function load(files: Members) {
    const { records, isWhole, close } = await openSource('vndb', folderOf(files), {
      maxBadRows: { text: '100%', share: 1 },
      allowMissing: 'any',
    })
    const mapped: string[] = []
    async function* noting(source: AsyncIterable<SourceRecord>) {
      for await (const record of source) {
        mapped.push(record.external_id)
        yield record
      }
    }
    const { kinds, remarks } = await importSource(
      database.db,
      'vndb',
      (report, trx) => noting(records(report, trx)),
      { isWhole, allowShrink: 'all' },
    ).finally(close)
    const sumOf = (outcome: 'created' | 'changed' | 'unchanged') =>
      kinds.reduce((sum, counts) => sum + counts[outcome], 0)
    return {
      made: mapped,
      remarks,
      created: sumOf('created'),
      changed: sumOf('changed'),
      unchanged: sumOf('unchanged'),
    }
  }

  it('maps no unchanged entry, writes nothing, and reports the same remarks', async () => {
    const first = await load(dump)
    const before = await fingerprint(database.db)
    const second = await load(dump)
    assert.deepEqual(await fingerprint(database.db), before)
    assert.deepEqual([second.created, second.changed, second.unchanged], [0, 0, first.created])
    assert.ok(
      first.remarks.some((remark) => 'code' in remark && remark.code === 'birthday.impossible'),
    )
    assert.deepEqual(second.remarks, first.remarks)
    // The second import maps only the entry with a remark.
    assert.ok(first.made.length > 10)
    assert.equal(second.made.length, 1, second.made.join())
  })

  it('maps no unchanged entry that follows one without a name', async () => {
    const [first = ''] = String(dump['db/vn']).split('\t')
    const titles = String(dump['db/vn_titles']).split('\n')
    const nameless = {
      ...dump,
      'db/vn_titles': titles.filter((row) => !row.startsWith(`${first}\t`)).join('\n'),
    }
    const before = await load(nameless)
    assert.ok(before.remarks.some((remark) => 'code' in remark && remark.code === 'novel.no_title'))
    const { made, remarks } = await load(nameless)
    assert.equal(made.length, 1, made.join())
    assert.deepEqual(remarks, before.remarks)
    await load(dump)
  })

  it('keeps the ids that unchanged entries have in other sources', async () => {
    const sample = filesUnder(join(CHECKOUT, 'sample/vndb'))
    const stated = async () => {
      const { rows } = await sql`
        select kind, external_id, other_source, other_external_id from source_same_as order by 1, 2, 3, 4`.execute(
        database.db,
      )
      return rows
    }
    await load(sample)
    const before = await stated()
    assert.ok(before.length > 0)
    const { made: created, changed } = await load(sample)
    assert.deepEqual([created, changed], [[], 0])
    assert.deepEqual(await stated(), before)
    await load(dump)
  })

  it('maps an entry again if any of its cells differs in any table, or if its rows are in a different order', async () => {
    const hasEffect: string[] = []
    const attempt = async (name: string, files: Members) => {
      const { changed, created } = await load(files)
      if (changed + created > 0) hasEffect.push(name)
      // Without hashes, every entry is mapped and the documents are compared, which reveals any missed change.
      await sql`update source_records set hash = null`.execute(database.db)
      const all = await load(files)
      assert.ok(all.made.length > 10)
      assert.deepEqual([all.created, all.changed], [0, 0], name)
    }
    // Each dump differs from the previous one only in this table.
    let files = dump
    for (const table of ['db/vn_staff', 'db/chars_vns']) {
      const rows = String(files[table]).trimEnd().split('\n')
      files = { ...files, [table]: rows.toReversed().join('\n') }
      await attempt(`${table} turned`, files)
    }
    // vn_seiyuu is edited first, because edits to other tables may break its references.
    for (const table of ['db/vn_seiyuu', ...tables.filter((name) => name !== 'db/vn_seiyuu')]) {
      const rows = String(dump[table]).trimEnd().split('\n')
      const columns = rows[0]?.split('\t').length ?? 1
      const edited = rows.map((row, index) => {
        const cells = row.split('\t')
        // The first column, the id, stays the same; otherwise these would be different entries.
        const at = 1 + (index % Math.max(1, columns - 1))
        cells[at] = differentCell(cells[at] ?? '\\N')
        return cells.join('\t')
      })
      files = { ...files, [table]: edited.join('\n') }
      await attempt(table, files)
    }
    const without = [...tables, 'db/vn_staff turned', 'db/chars_vns turned'].filter(
      (table) => !hasEffect.includes(table),
    )
    // The catalog does not show the shops of individual releases.
    assert.deepEqual(without, ['db/releases_extlinks'], 'every other table is read')
  })
})
