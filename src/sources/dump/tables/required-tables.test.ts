import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { describe, it } from 'node:test'
import { filesUnder, pgDumpOf, tarOf, type Members } from '#test/archives.ts'
import { listRemarks, SAMPLES, temporaryDumps, readAll } from '#test/dumps.ts'
import { DUMP_SOURCES, openSource, type OpenOptions } from '../../../curation/sources.ts'
import { parseBadRowLimit } from '../bad-rows.ts'
import { readLines } from './lines.ts'
import { bySource, type SourceName } from '../../registry.ts'

const { fileOf, folderOf } = temporaryDumps()

const samples = bySource((source) => filesUnder(SAMPLES[source]))
const fileOfTable = (source: SourceName, table: string) =>
  Object.keys(samples[source]).find(
    (file) => basename(file) === `${table}${DUMP_SOURCES[source].layout.suffix}`,
  ) ?? ''

/** Returns the number of records in a dump, the remarks, and whether the dump is complete. */
async function read(source: SourceName, path: string, options?: OpenOptions) {
  const report = listRemarks()
  const opened = await openSource(source, path, options)
  const all = await readAll(opened, report)
  return { count: all.length, remarks: report.remarks, isWhole: opened.isWhole() }
}

const without = (members: Members, file: string): Members =>
  Object.fromEntries(Object.entries(members).filter(([name]) => name !== file))

describe('a required table', () => {
  for (const { source, tables } of Object.values(DUMP_SOURCES))
    for (const [table, lost] of Object.entries(tables.required))
      it(`stops the import if it is missing or empty: ${source}, ${table}`, async () => {
        const file = fileOfTable(source, table)
        const header =
          source === 'ranobedb' ? `${String(samples.ranobedb[file]).split('\n')[0]}\n` : ''
        for (const [members, state] of [
          [without(samples[source], file), 'is missing'],
          [{ ...samples[source], [file]: header }, 'is empty'],
          [{ ...samples[source], [file]: `${header}\\.\n` }, 'is empty'],
        ] as const) {
          // JSON lines do not end with COPY's end marker.
          if (source === 'bangumi' && members[file] === '\\.\n') continue
          await assert.rejects(openSource(source, folderOf(members)), ({ message }: Error) => {
            assert.match(
              message,
              new RegExp(`${table}(\\.\\w+)? ${state}, which would lose ${lost}`),
            )
            assert.match(
              message,
              new RegExp(`Nothing was imported\\. .* --allow-missing ${table}$`),
            )
            return true
          })
        }
      })

  for (const { source, tables } of Object.values(DUMP_SOURCES))
    for (const [table, columns] of Object.entries<readonly string[]>(tables.columns))
      it(`stops the import if a column is missing or renamed: ${source}, ${table}`, async () => {
        const file = source === 'vndb' ? `db/${table}.header` : fileOfTable(source, table)
        for (const column of columns) {
          const [header = '', ...rows] = String(samples[source][file]).split('\n')
          const renamed = header.split('\t').map((name) => (name === column ? 'other' : name))
          assert.ok(renamed.includes('other'), `${table} has no ${column}`)
          const members = { ...samples[source], [file]: [renamed.join('\t'), ...rows].join('\n') }
          await assert.rejects(openSource(source, folderOf(members)), ({ message }: Error) => {
            assert.match(
              message,
              new RegExp(`${table}(\\.\\w+)? lacks the column ${column}, which would lose `),
            )
            assert.match(
              message,
              new RegExp(`Nothing was imported\\. .* --allow-missing ${table}$`),
            )
            return true
          })
        }
      })

  it('is reported with all missing columns', async () => {
    const folder = folderOf({ ...samples.vndb, 'db/vn_staff.header': 'id\tother\tpart\teid\tnote' })
    await assert.rejects(
      openSource('vndb', folder),
      /vn_staff lacks the columns aid and role, which would lose the staff/,
    )
  })

  it('may lack a column with --allow-missing, which adds a remark', async () => {
    const folder = folderOf({ ...samples.vndb, 'db/vn_staff.header': 'id\taid\tpart\teid\tnote' })
    const { remarks, isWhole } = await read('vndb', folder, { allowMissing: ['vn_staff'] })
    assert.ok(
      remarks.includes(
        'table vn_staff lacks the column role: the staff of every galgame not imported: ',
      ),
    )
    assert.equal(isWhole, false)
  })

  it('stops the import of an archive or a pg_dump if it is missing or empty', async () => {
    const tar = await tarOf({ ...samples.vndb, 'db/vn_staff': '' })
    await assert.rejects(
      openSource('vndb', fileOf(tar)),
      /vn_staff is empty, which would lose the staff/,
    )
    const header = `${String(samples.ranobedb['tag.tsv']).split('\n')[0]}\n`
    const dump = pgDumpOf({ ...without(samples.ranobedb, 'staff.tsv'), 'tag.tsv': header })
    await assert.rejects(
      openSource('ranobedb', fileOf(dump)),
      /tag is empty.*staff is missing.*--allow-missing tag,staff$/,
    )
  })

  it('may be missing with --allow-missing, which adds a remark', async () => {
    const folder = folderOf(without(samples.vndb, 'db/vn_staff'))
    const { remarks } = await read('vndb', folder, { allowMissing: ['vn_staff'] })
    assert.ok(
      remarks.includes('table vn_staff is missing: the staff of every galgame not imported: '),
    )
    await assert.rejects(
      openSource('vndb', folder, { allowMissing: ['staf'] }),
      /^DumpError: staf is not a table of VNDB. Its tables are vn, /,
    )
  })

  it('is rejected without its header file', async () => {
    await assert.rejects(
      openSource('vndb', folderOf(without(samples.vndb, 'db/vn.header'))),
      /db\/vn\.header is missing/,
    )
  })

  it('must exist unless the dump has the column that the table replaced: names of characters', async () => {
    const folder = folderOf(without(samples.vndb, 'db/chars_names'))
    await assert.rejects(
      openSource('vndb', folder),
      /chars_names is missing, which would lose the names of characters/,
    )
    const former = folderOf({
      ...without(samples.vndb, 'db/chars_names'),
      'db/chars.header': 'id\tname\tdescription',
      'db/chars': 'c1\tName\t\n',
    })
    assert.ok((await read('vndb', former)).count > 0)
  })
})

describe('an optional table', () => {
  it('is reported individually if it is missing or empty', async () => {
    const { remarks } = await read(
      'vndb',
      folderOf({ ...without(samples.vndb, 'db/engines'), 'db/extlinks': '' }),
    )
    const tables = remarks.flatMap(
      (remark) => /^table (\w+) (is \w+): .* not imported/.exec(remark)?.slice(1).join(' ') ?? [],
    )
    assert.deepEqual(tables.toSorted(), [
      'engines is missing',
      'entry_meta is missing',
      'extlinks is empty',
      'images is missing',
      'releases_images is missing',
      'staff_extlinks is missing',
      'tags is missing',
      'tags_vn is missing',
      'vn_image_votes is missing',
      'vn_screenshots is missing',
    ])
  })
})

describe('unreadable rows', () => {
  const people = (count: number, bad: (number: number) => boolean) =>
    Array.from({ length: count }, (_, number) =>
      bad(number) ? `{"id":${number}` : `{"id":${number + 1},"name":"a","type":1}`,
    ).join('\n')
  const dumpOf = (count: number, bad: (number: number) => boolean) =>
    folderOf({ ...samples.bangumi, 'person.jsonlines': people(count, bad) })

  it('are skipped and counted, up to a limit', async () => {
    const { remarks } = await read(
      'bangumi',
      dumpOf(2000, (number) => number === 700 || number === 900),
    )
    assert.equal(
      remarks.filter((remark) =>
        /^unreadable rows; skipped: not a row of person: \S+person\.jsonlines:[79]01$/.test(remark),
      ).length,
      2,
      'each row counts once, although the file is read twice',
    )
  })

  it('make the dump incomplete, so that nothing is withdrawn', async () => {
    const wholeness = async (bad: (number: number) => boolean, allowed = '1') =>
      (await read('bangumi', dumpOf(20, bad), { maxBadRows: parseBadRowLimit(allowed) })).isWhole
    assert.deepEqual(
      [await wholeness(() => false), await wholeness((number) => number === 7)],
      [true, false],
    )
  })

  it('cause the dump to be rejected above the limit, with an error that names the first of them', async () => {
    const dump = dumpOf(2000, (number) => number % 500 === 0)
    await assert.rejects(
      read('bangumi', dump),
      /person\.jsonlines: 4 of 2000 rows cannot be read .*, where --max-bad-rows is 0\.1%: \S+:1, \S+:501, \S+:1001 and others\.$/,
    )
    assert.ok(await read('bangumi', dump, { maxBadRows: parseBadRowLimit('4') }))
    assert.ok(await read('bangumi', dump, { maxBadRows: parseBadRowLimit('0.2%') }))
    await assert.rejects(
      read('bangumi', dump, { maxBadRows: parseBadRowLimit('3') }),
      /4 of the first 1501 rows/,
    )
    await assert.rejects(
      read(
        'bangumi',
        dumpOf(2000, (number) => number === 7),
        { maxBadRows: parseBadRowLimit('0') },
      ),
      /1 of the first 8 rows/,
    )
  })

  it('cause the dump to be rejected at once if all of its first rows are unreadable', async () => {
    await assert.rejects(
      read(
        'bangumi',
        dumpOf(5000, () => true),
        { maxBadRows: parseBadRowLimit('100%') },
      ),
      /person\.jsonlines: none of the first 10 rows can be read/,
    )
  })

  it('include rows that are not UTF-8, for which the error suggests converting the encoding', async () => {
    const shiftJis = Buffer.from('v4\tja\tt\t\x83N\x83\x89\x83i\x83h\t\\N\n', 'latin1')
    const dump = folderOf({
      ...samples.vndb,
      'db/vn_titles': Buffer.concat([Buffer.from(samples.vndb['db/vn_titles'] ?? ''), shiftJis]),
    })
    await assert.rejects(
      read('vndb', dump),
      /vn_titles: 1 of \d+ rows cannot be read \(not UTF-8\).* another encoding, such as GBK or SHIFT_JIS, with iconv; otherwise/,
    )
    const all = folderOf({
      ...samples.vndb,
      'db/vn_titles': Buffer.concat(Array.from({ length: 20 }, () => shiftJis)),
    })
    await assert.rejects(read('vndb', all), /none of the first 10 rows .* iconv/)
    const escaped = folderOf({ ...samples.vndb, 'db/vn_titles': 'v4\tja\tt\t\\x83N\t\\N\n' })
    await assert.rejects(read('vndb', escaped), /not UTF-8/)
  })

  it('do not include the rows of a file with a byte order mark; UTF-16 has its own error', async () => {
    const mark = '\ufeff'
    const marked = Object.fromEntries(
      Object.entries(samples.vndb).map(([name, body]) => [name, `${mark}${String(body)}`]),
    )
    const { count } = await read('vndb', folderOf(samples.vndb))
    assert.equal((await read('vndb', folderOf(marked))).count, count)
    const tsv = Object.fromEntries(
      Object.entries(samples.ranobedb).map(([name, body]) => [name, `${mark}${String(body)}`]),
    )
    assert.equal(
      (await read('ranobedb', folderOf(tsv))).count,
      (await read('ranobedb', folderOf(samples.ranobedb))).count,
    )
    const withExtraTables = folderOf({
      ...samples.bangumi,
      'subject.jsonlines': Buffer.from(`${mark}{"id":1}\n`, 'utf16le'),
    })
    await assert.rejects(
      openSource('bangumi', withExtraTables),
      /subject\.jsonlines is in UTF-16\..* iconv -f UTF-16/,
    )
  })

  it('do not include rows with U+FEFF, even at the start of a chunk', async () => {
    const pieces = ['\ufeffa\n', '\ufeffb\nc', '\r\n\ufeffd'].map((piece) => Buffer.from(piece))
    const blocks = await Array.fromAsync(readLines(ReadableStream.from(pieces), 'here'))
    assert.deepEqual(
      blocks.flatMap(({ lines }) => lines),
      ['a', '\ufeffb', 'c', '\ufeffd'],
    )
    assert.deepEqual(
      blocks.map(({ number, offset }) => [number, offset]),
      [
        [1, 0],
        [2, 5],
        [3, 10],
        [4, 13],
      ],
    )
  })

  it('are limited to a number or a share of all rows', () => {
    assert.deepEqual(
      ['20', '0', '0.1%', '100%', '101%', '1.5', 'few', '-1', ''].map((text) =>
        parseBadRowLimit(text),
      ),
      [
        { text: '20', rows: 20 },
        { text: '0', rows: 0 },
        { text: '0.1%', share: 0.001 },
        { text: '100%', share: 1 },
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
      ],
    )
  })
})
