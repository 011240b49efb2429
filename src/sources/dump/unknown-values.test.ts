import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { filesUnder, type Members } from '#test/archives.ts'
import { countRemarks, readAll, SAMPLES, temporaryDumps } from '#test/dumps.ts'
import { openSource, type OpenOptions } from '../../curation/sources.ts'
import { parseBadRowLimit } from './bad-rows.ts'
import { bySource, SOURCE_NAMES, type SourceName } from '../registry.ts'

const { folderOf } = temporaryDumps()

const samples = bySource((source) => filesUnder(SAMPLES[source]))

/** Copies the sample of a source with one changed file. */
function changed(source: SourceName, file: string, change: (text: string) => string): Members {
  const text = String(samples[source][file])
  const other = change(text)
  assert.notEqual(other, text, `${file} is the same`)
  return { ...samples[source], [file]: other }
}

async function read(source: SourceName, members: Members, options?: OpenOptions) {
  const report = countRemarks()
  const opened = await openSource(source, folderOf(members), options)
  const records = await readAll(opened, report)
  return { records, remarks: report.remarks, isWhole: opened.isWhole() }
}

/** Replaces a cell in the first row, or in all rows, with the given value. */
const cell = (from: string, to: string, all: boolean) => (text: string) =>
  all ? text.replaceAll(`\t${from}`, `\t${to}`) : text.replace(`\t${from}`, `\t${to}`)
const key = (name: string, to: string) => (text: string) =>
  text.replaceAll(new RegExp(`"${name}": ?[^,}]+`, 'g'), `"${name}":${to}`)

describe('an unknown value of an enumeration', () => {
  for (const [source, file, from, column] of [
    ['vndb', 'db/chars_vns', 'side', 'chars_vns.role'],
    ['vndb', 'db/releases_vn', 'complete', 'releases_vn.rtype'],
    ['vndb', 'db/vn_staff', 'scenario', 'vn_staff.role'],
    ['vndb', 'db/vn_relations', 'ser', 'vn_relations.relation'],
    ['vndb', 'db/producers', 'co', 'producers.type'],
    ['ranobedb', 'book_staff_alias.tsv', 'author', 'book_staff_alias.role_type'],
    ['ranobedb', 'release_publisher.tsv', 'imprint', 'release_publisher.publisher_type'],
    ['ranobedb', 'series.tsv', 'ongoing', 'series.publication_status'],
  ] as const)
    it(`is reported, and rejected if frequent: ${column}`, async () => {
      const { remarks, isWhole } = await read(
        source,
        changed(source, file, cell(from, 'novel', false)),
      )
      assert.equal(remarks.get(`unknown value in ${column}: novel`), 1)
      assert.ok(isWhole, 'all entries are read')
      const [, name = ''] = column.split('.')
      await assert.rejects(read(source, changed(source, file, cell(from, 'novel', true))), {
        name: 'DumpError',
        message: new RegExp(
          `\\d+ of \\d+ rows have an unknown value in ${name}, such as "novel"\\. Nothing was imported\\.`,
        ),
      })
    })

  for (const [file, name] of [
    ['subject-persons.jsonlines', 'position'],
    ['subject-characters.jsonlines', 'type'],
    ['person-characters.jsonlines', 'type'],
    ['subject-relations.jsonlines', 'relation_type'],
    ['subject.jsonlines', 'platform'],
    ['person.jsonlines', 'type'],
  ] as const)
    it(`is also reported in Bangumi’s JSON: ${file}, ${name}`, async () => {
      const table = file.replace('.jsonlines', '')
      const one = (text: string) => text.replace(new RegExp(`"${name}": ?\\d+`), `"${name}":1999`)
      const { remarks } = await read('bangumi', changed('bangumi', file, one))
      assert.equal(remarks.get(`unknown value in ${table}.${name}: 1999`), 1)
      await assert.rejects(
        read('bangumi', changed('bangumi', file, key(name, '1999'))),
        new RegExp(
          `${table}\\.jsonlines: \\d+ of \\d+ rows have an unknown value in ${name}, such as "1999"`,
        ),
      )
      const isOptional = file === 'person-characters.jsonlines'
      const lacking = changed('bangumi', file, (text) => text.replaceAll(`"${name}"`, '"kind"'))
      if (!isOptional)
        await assert.rejects(
          read('bangumi', lacking),
          new RegExp(`(\\d+) of \\1 rows lack ${name}\\.`),
        )
    })

  /** Other columns with known values, keyed by table. */
  const COLUMNS = {
    vndb: {
      staff: ['gender'],
      chars: ['bloodt', 'sex', 'gender'],
      vn: ['olang', 'devstatus'],
      chars_names: ['lang'],
      chars_traits: ['lie'],
      vn_titles: ['official'],
      releases: ['has_ero', 'patch', 'official'],
      releases_titles: ['lang'],
      releases_producers: ['developer', 'publisher'],
      releases_images: ['itype'],
      traits: ['sexual'],
      tags: ['cat', 'searchable', 'applicable'],
      tags_vn: ['ignore', 'lie'],
    },
    ranobedb: {
      series: ['hidden'],
      book: ['hidden'],
      staff: ['hidden'],
      publisher: ['hidden'],
      release: ['hidden', 'format'],
      series_title: ['lang'],
      book_title: ['lang'],
      series_book: ['book_type'],
      staff_alias: ['main_alias'],
      release_book: ['rtype'],
      image: ['nsfw'],
    },
  }
  /** Tables that are not part of the sample. */
  const EXTRA_TABLES: Members = {
    'db/releases_images.header': 'id\timg\tvid\titype\tlang',
    'db/releases_images': 'r1\tcv1\tv4\tpkgfront\tja\n',
    'db/tags.header': 'id\tcat\tdefaultspoil\tsearchable\tapplicable\tname',
    'db/tags': 'g1\tcont\t0\tt\tt\tComedy\n',
    'db/tags_vn.header': 'tag\tvid\tuid\tvote\tspoiler\tignore\tlie',
    'db/tags_vn': 'g1\tv4\tu1\t3\t0\tf\tf\n',
  }
  for (const source of ['vndb', 'ranobedb'] as const)
    it(`is reported in every column with known values: ${source}`, async () => {
      const members: Members = { ...samples[source], ...(source === 'vndb' && EXTRA_TABLES) }
      for (const [table, columns] of Object.entries(COLUMNS[source])) {
        const file = source === 'vndb' ? `db/${table}` : `${table}.tsv`
        const lines = String(members[file]).trimEnd().split('\n')
        const header =
          source === 'vndb' ? String(members[`${file}.header`]).trim() : (lines.shift() ?? '')
        const names = header.split('\t')
        const rows = lines.map((line) =>
          line
            .split('\t')
            .map((value, index) => (columns.includes(names[index] ?? '') ? 'novel' : value)),
        )
        const text = rows.map((row) => `${row.join('\t')}\n`).join('')
        members[file] = source === 'vndb' ? text : `${header}\n${text}`
      }
      const { remarks } = await read(source, members, { maxBadRows: parseBadRowLimit('100%') })
      const expected = Object.entries(COLUMNS[source]).flatMap(([table, columns]) =>
        columns.map((column) => `unknown value in ${table}.${column}: novel`),
      )
      assert.deepEqual(
        expected.filter((remark) => !remarks.has(remark)),
        [],
      )
    })

  for (const [table, name] of [
    ['subject', 'name'],
    ['subject', 'infobox'],
    ['person', 'name'],
    ['character', 'name'],
  ] as const)
    it(`causes the dump to be rejected, as does a key that all of Bangumi’s rows lack: ${table}, ${name}`, async () => {
      const lacking = changed('bangumi', `${table}.jsonlines`, (text) =>
        text.replaceAll(`"${name}":`, '"other":'),
      )
      await assert.rejects(
        read('bangumi', lacking),
        new RegExp(`(\\d+) of \\1 rows lack ${name}\\.`),
      )
    })

  it('is not reported for rows without an optional key: actors in older Archives have no type', async () => {
    const file = 'person-characters.jsonlines'
    const older = await read(
      'bangumi',
      changed('bangumi', file, (text) => text.replaceAll('"type"', '"kind"')),
    )
    assert.deepEqual(older, await read('bangumi', samples.bangumi))
  })

  it('is not reported for extras, narrators and voice banks', async () => {
    const file = 'subject-characters.jsonlines'
    const roles = async (type: string) => {
      const { records, remarks } = await read(
        'bangumi',
        changed('bangumi', file, key('type', type)),
      )
      assert.ok(![...remarks.keys()].some((remark) => remark.startsWith('unknown value')))
      return [
        ...new Set(
          records.flatMap((record) =>
            record.kind === 'galgame'
              ? (record.links?.characters ?? []).map(({ role }) => role)
              : [],
          ),
        ),
      ]
    }
    assert.deepEqual(await roles('4'), ['GUEST'])
    assert.deepEqual(await roles('5'), ['GUEST'])
    assert.deepEqual(await roles('6'), [])
  })

  it('causes the dump to be rejected if it occurs in more than five percent of the rows', async () => {
    const file = 'release_publisher.tsv'
    const rows = String(samples.ranobedb[file]).trimEnd().split('\n').length - 1
    const max = Math.floor(rows / 20)
    assert.ok(max > 5, `${rows} rows`)
    const novels = (count: number) =>
      changed('ranobedb', file, (text) => {
        let remaining = count
        return text.replaceAll(/\t(?:publisher|imprint)$/gm, (cell) =>
          remaining-- > 0 ? '\tnovel' : cell,
        )
      })
    const { remarks } = await read('ranobedb', novels(max))
    assert.equal(remarks.get('unknown value in release_publisher.publisher_type: novel'), max)
    await assert.rejects(
      read('ranobedb', novels(max + 1)),
      new RegExp(`${max + 1} of ${rows} rows have an unknown value in publisher_type`),
    )
  })

  it('is accepted in up to five rows of a small table, whatever their share', async () => {
    const novels = (count: number) => {
      const rows = String(samples.vndb['db/producers']).trimEnd().split('\n').slice(0, 6)
      const some = rows.map((row, index) =>
        index < count ? row.replace(/\t(?:co|ng|in)\t/, '\tnovel\t') : row,
      )
      return { ...samples.vndb, 'db/producers': `${some.join('\n')}\n` }
    }
    const { remarks } = await read('vndb', novels(5))
    assert.equal(remarks.get('unknown value in producers.type: novel'), 5)
    await assert.rejects(read('vndb', novels(6)), /6 of 6 rows have an unknown value in type/)
  })

  it('is listed for twenty values per column; other values are only counted', async () => {
    let code = 1900
    const members = changed('bangumi', 'subject-persons.jsonlines', (text) =>
      text.replaceAll(/"position": ?\d+/g, (whole) =>
        code < 1925 ? `"position":${code++}` : whole,
      ),
    )
    const { remarks } = await read('bangumi', members)
    const named = [...remarks.keys()].filter((remark) => /^unknown value in .*: \d+$/.test(remark))
    assert.equal(named.length, 20)
    assert.equal(remarks.get('unknown value in subject-persons.position: others'), 5)
  })

  it('is accepted in as many rows as the operator allows', async () => {
    const members = changed('vndb', 'db/chars_vns', cell('side', 'novel', true))
    const { remarks } = await read('vndb', members, { maxBadRows: parseBadRowLimit('60%') })
    assert.ok((remarks.get('unknown value in chars_vns.role: novel') ?? 0) > 5)
  })

  it('does not occur in the samples', async () => {
    for (const source of SOURCE_NAMES) {
      const { remarks } = await read(source, samples[source])
      assert.deepEqual(
        [...remarks.keys()].filter((remark) => /^unknown value|^rows without/.test(remark)),
        [],
      )
    }
  })
})

describe('column names from another dump', () => {
  it('are rejected, so that no boolean becomes the title of every work', async () => {
    const members = { ...samples.vndb, 'db/vn_titles.header': 'id\tlang\ttitle\tlatin\tofficial' }
    await assert.rejects(
      read('vndb', members),
      /vn_titles: \d+ of \d+ rows have an unknown value in official/,
    )
  })

  it('are rejected, so that no title becomes the language of every work', async () => {
    const members = { ...samples.vndb, 'db/vn_titles.header': 'id\ttitle\tofficial\tlang\tlatin' }
    await assert.rejects(
      read('vndb', members),
      /vn_titles: \d+ of \d+ rows have an unknown value in lang/,
    )
  })
})

describe('a work’s relation to itself', () => {
  for (const [source, id, file, row] of [
    ['vndb', 'v4', 'db/vn_relations', 'v4\tv4\tseq\tt'],
    [
      'bangumi',
      '13',
      'subject-relations.jsonlines',
      '{"subject_id":13,"relation_type":4003,"related_subject_id":13}',
    ],
  ] as const)
    it(`is skipped and reported: ${source}`, async () => {
      const { records, remarks } = await read(
        source,
        changed(source, file, (text) => `${text}${row}\n`),
      )
      const novel = records.find(
        ({ kind, external_id }) => kind === 'galgame' && external_id === id,
      )
      assert.ok(novel?.kind === 'galgame')
      assert.ok(!novel.links?.relations?.some(({ ref }) => ref === id))
      assert.equal(remarks.get('relations of a work to itself; skipped'), 1)
    })
})
