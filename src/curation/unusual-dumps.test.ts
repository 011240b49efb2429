import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { sql } from 'kysely'
import { filesUnder, pgDumpOf, tarOf, zipOf, type Members } from '#test/archives.ts'
import { fingerprint } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { SAMPLES, temporaryDumps } from '#test/dumps.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { COLUMNS } from '../sources/records/columns.ts'
import { DumpError } from '../sources/dump/dump-error.ts'
import { importSource } from './import-source.ts'
import { RECORD_KINDS, type RecordKind } from '../sources/records/record-kinds.ts'
import type { SourceRecord } from '../sources/records/record.ts'
import { openSource } from './sources.ts'
import { textOfRemark } from './remarks.ts'
import type { SourceName } from '../sources/registry.ts'

const vndb = filesUnder(SAMPLES.vndb)
const bangumi = filesUnder(SAMPLES.bangumi)
const ranobedb = filesUnder(SAMPLES.ranobedb)

/** Returns the rows of a table, with some cells of one row replaced. */
function withCells(
  files: Members,
  table: string,
  id: string,
  cells: Record<string, string>,
): Members {
  const lines = String(files[table]).split('\n')
  const header = String(files[`${table}.header`] ?? lines[0])
    .trim()
    .split('\t')
  const changed = lines.map((line) => {
    const row = line.split('\t')
    if (row[0] !== id) return line
    for (const [column, value] of Object.entries(cells)) row[header.indexOf(column)] = value
    return row.join('\t')
  })
  assert.notDeepEqual(changed, lines)
  return { ...files, [table]: changed.join('\n') }
}

/** Returns the lines of a JSON file, with some values of the first matching row replaced. */
function withValues(
  files: Members,
  file: string,
  valuesOf: (row: Record<string, unknown>) => object | undefined,
): Members {
  let isDone = false
  const lines = String(files[file])
    .trim()
    .split('\n')
    .map((line) => {
      // as: the rows of the sample are objects
      const row = JSON.parse(line) as Record<string, unknown>
      const values = isDone ? undefined : valuesOf(row)
      isDone ||= values !== undefined
      return JSON.stringify({ ...row, ...values })
    })
  assert.ok(isDone)
  return { ...files, [file]: lines.join('\n') }
}

describeOnDatabase('an unusual dump', (engine) => {
  let database: OpenTestDatabase
  const { folderOf, fileOf } = temporaryDumps()
  before(async () => void (database = await openTestDatabase(engine)))
  after(() => database.remove())

  async function load(source: SourceName, path: string) {
    const { records, isWhole, close } = await openSource(source, path, {
      maxBadRows: { text: '10%', share: 0.1 },
    })
    // The catalog contains more Bangumi records than this dump.
    const options = source === 'bangumi' ? { allowShrink: 'all' as const } : { isWhole }
    return importSource(database.db, source, records, options).finally(close)
  }
  const remarksOf = async (source: SourceName, path: string) =>
    (await load(source, path)).remarks.map(
      ({ example, ...remark }) => `${textOfRemark('en', remark)}: ${example}`,
    )
  const recordOf = async (source: SourceName, kind: RecordKind, id: string) => {
    const { rows } = await sql<{ fields: Record<string, unknown> }>`
      select fields from source_records where source = ${source} and kind = ${kind} and external_id = ${id}`.execute(
      database.db,
    )
    return rows[0]?.fields
  }

  describe('with an impossible value', () => {
    it('is imported without that value, with a remark in every import', async () => {
      let files = withCells(vndb, 'db/chars', 'c900002', {
        height: '99999999999',
        age: '99999999999',
      })
      files = withCells(files, 'db/releases', 'r900001', { released: '20041350' })
      const folder = folderOf(files)
      for (let time = 0; time < 2; time += 1) {
        const remarks = await remarksOf('vndb', folder)
        for (const column of ['character.height', 'character.age'])
          assert.ok(
            remarks.includes(`${column} not a valid date or number; left empty: c900002`),
            remarks.join('\n'),
          )
      }
      assert.equal((await recordOf('vndb', 'character', 'c900002'))?.['height'], undefined)
      await load('vndb', SAMPLES.vndb)
      assert.equal((await recordOf('vndb', 'character', 'c900002'))?.['height'], 155)
    })

    it('is imported without that value, whichever date or number field contains it', async () => {
      const { rows } = await sql<{ table_name: string; column_name: string; data_type: string }>`
        select table_name::text, column_name::text, data_type::text
        from information_schema.columns
        where table_schema = 'public' and data_type in ('date', 'integer', 'numeric', 'timestamp with time zone')`.execute(
        database.db,
      )
      // as: the keys of this table
      for (const kind of Object.keys(COLUMNS) as RecordKind[]) {
        const wrong = rows
          .filter(
            ({ table_name, column_name }) =>
              table_name === RECORD_KINDS[kind].table && column_name in COLUMNS[kind],
          )
          .map(({ column_name, data_type }) => [
            column_name,
            /date|time/.test(data_type) ? '2004-02-31' : 1e20,
          ])
        const record = {
          kind,
          external_id: `strange-${kind}`,
          fields: { name: 'Strange', origin_title: 'Strange', ...Object.fromEntries(wrong) },
        } as unknown as SourceRecord // as: its fields have the names of columns
        const { remarks } = await importSource(database.db, 'vndb', async function* () {
          yield record
        })
        assert.equal(remarks.length, wrong.length, kind)
      }
    })
  })

  /** @returns the one-line rejection, after checking that nothing changed */
  async function refusalOf(source: SourceName, path: string): Promise<string> {
    const before = await fingerprint(database.db)
    const error = await load(source, path).then(
      () => assert.fail(`${path} was imported`),
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof DumpError, String(error))
    assert.doesNotMatch(error.message, /\n/)
    assert.deepEqual(await fingerprint(database.db), before)
    return error.message
  }
  const NO_ID = /^unreadable rows; skipped: no valid ID of its source/m

  it('is treated as incomplete, with a remark, if a row has no valid id, so that nothing is withdrawn', async () => {
    for (const id of ['\\N', '', '\ufeffv12', 'Kanon', `v${'1'.repeat(5_000)}`]) {
      const folder = folderOf(withCells(vndb, 'db/vn', 'v12', { id }))
      assert.match((await remarksOf('vndb', folder)).join('\n'), NO_ID)
      assert.ok(await recordOf('vndb', 'galgame', 'v12'), id)
    }
    const first = String(ranobedb['series.tsv']).split('\n')[1]?.split('\t')[0] ?? ''
    const dump = pgDumpOf(withCells(ranobedb, 'series.tsv', first, { id: '\\N' }))
    assert.match((await remarksOf('ranobedb', fileOf(dump))).join('\n'), NO_ID)
    assert.ok(await recordOf('ranobedb', 'light_novel', first))
  })

  it('with a person’s name of thousands of characters is imported without that person', async () => {
    // This value fits into an infobox line, but not into an id.
    const noise = Array.from({ length: 4_000 }, (_, at) =>
      String.fromCodePoint(0x4e00 + ((at * at * 7_919) % 20_000)),
    )
    const folder = folderOf(
      withValues(bangumi, 'subject.jsonlines', ({ type, platform }) =>
        type === 1 && platform === 1001
          ? { infobox: `{{Infobox animanga/Manga\n|作者= ${noise.join('')}\n}}` }
          : undefined,
      ),
    )
    assert.match(
      (await remarksOf('bangumi', folder)).join('\n'),
      /^records whose ID is too long; skipped: person name:/m,
    )
  })

  describe('with a title of 5 MB and a description of 12 MB', () => {
    const title = '長'.repeat(1_700_000)
    const summary = 'long words '.repeat(1_100_000)
    const cases: [SourceName, () => Members][] = [
      [
        'vndb',
        () => {
          const files = withCells(vndb, 'db/vn', 'v4', { description: summary })
          return withCells(files, 'db/vn_titles', 'v12', { title })
        },
      ],
      [
        'bangumi',
        () => {
          const files = withValues(bangumi, 'subject.jsonlines', () => ({ summary }))
          return withValues(files, 'subject.jsonlines', ({ type, platform }) =>
            type === 1 && platform === 1001 ? { name: title } : undefined,
          )
        },
      ],
      [
        'ranobedb',
        () => {
          const files = withCells(ranobedb, 'staff.tsv', '101', { description: summary })
          return withCells(files, 'series_title.tsv', '1', { title })
        },
      ],
    ]
    for (const [source, files] of cases)
      it(`is imported from ${source} with a remark that names the entries`, async () => {
        const path = source === 'ranobedb' ? fileOf(pgDumpOf(files())) : folderOf(files())
        const remarks = (await remarksOf(source, path)).join('\n')
        assert.match(remarks, / too long; truncated: \S+/)
        assert.match(remarks, /(?:name|title) too long; left empty: \S+/)
        const { rows } = await sql<{ longest: number }>`
          select max(length(fields::text || links::text)) as longest from source_records where source = ${source}`.execute(
          database.db,
        )
        assert.ok(Number(rows[0]?.longest) < 100_000, remarks)
      })

    it('is rejected if a row exceeds 16 MB', async () => {
      const files = withCells(vndb, 'db/vn', 'v4', { description: 'x'.repeat(50_000_000) })
      assert.match(await refusalOf('vndb', folderOf(files)), /db\/vn:1: a row is longer than 16 MB/)
    })
  })

  it('is rejected if a header names a column twice', async () => {
    const header = String(vndb['db/vn.header']).replace('\tolang\t', '\tid\t')
    assert.match(
      await refusalOf('vndb', folderOf({ ...vndb, 'db/vn.header': header })),
      /db\/vn names the column id twice$/,
    )
  })

  it('is rejected if the names of two members differ only in case', async () => {
    const twice = zipOf({ ...bangumi, 'Subject.jsonlines': '' })
    assert.match(
      await refusalOf('bangumi', fileOf(twice)),
      /has the members subject\.jsonlines and Subject\.jsonlines, /,
    )
  })

  it('is rejected if its tar contains a sparse file', async () => {
    const tar = Buffer.from(await tarOf(vndb))
    const at = tar.indexOf('db/vn_titles\0')
    assert.equal(at % 512, 0)
    tar[at + 156] = 'S'.charCodeAt(0)
    tar.write('        ', at + 148, 'latin1')
    const sum = tar.subarray(at, at + 512).reduce((total, byte) => total + byte, 0)
    tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + 148, 'latin1')
    for (const bytes of [tar, zstdCompressSync(tar)])
      assert.match(
        await refusalOf('vndb', fileOf(bytes)),
        /db\/vn_titles has an unsupported type \("S"\)/,
      )
  })

  it('is rejected if it is truncated within its last block', async () => {
    const packed = zstdCompressSync(await tarOf(vndb))
    const zip = gzipSync(pgDumpOf(ranobedb))
    for (const cut of [1, 2, 5, 40]) {
      assert.match(
        await refusalOf('vndb', fileOf(packed.subarray(0, -cut))),
        /is damaged or truncated/,
      )
      assert.match(
        await refusalOf('ranobedb', fileOf(zip.subarray(0, -cut))),
        /is damaged or truncated/,
      )
    }
  })

  it('is read if its compressed data consists of several parts', async () => {
    const tar = await tarOf(vndb)
    const parts = [tar.subarray(0, 5_000), tar.subarray(5_000)]
    const text = Buffer.from(pgDumpOf(ranobedb))
    const dumps: [SourceName, Uint8Array][] = [
      ['vndb', Buffer.concat(parts.map((part) => zstdCompressSync(part)))],
      [
        'ranobedb',
        Buffer.concat(
          [text.subarray(0, 9_000), text.subarray(9_000)].map((part) => gzipSync(part)),
        ),
      ],
    ]
    for (const [source, bytes] of dumps) {
      await load(source, SAMPLES[source])
      const before = await fingerprint(database.db)
      await load(source, fileOf(bytes))
      assert.deepEqual(await fingerprint(database.db), before, source)
    }
  })
})
