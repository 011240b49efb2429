import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import type { SourceRecord } from '../records/record.ts'
import {
  findInDump,
  listRemarks,
  readDump,
  SAMPLES,
  temporaryDumps,
  type RecordOfKind,
} from '#test/dumps.ts'

const report = listRemarks()
const { remarks } = report
beforeEach(() => void remarks.splice(0))

describe('readRanobedb with the sample', () => {
  let records: SourceRecord[]
  let series: RecordOfKind<'light_novel'>[]
  before(async () => {
    records = await readDump('ranobedb', SAMPLES.ranobedb, report)
    series = records.filter((record) => record.kind === 'light_novel')
  })

  it('yields every entry once', () => {
    const counts = Object.entries(Object.groupBy(records, ({ kind }) => kind)).map(
      ([kind, { length }]) => [kind, length],
    )
    assert.deepEqual(Object.fromEntries(counts), {
      producer: 36,
      person: 167,
      light_novel_volume: 100,
      light_novel: 76,
    })
    assert.equal(
      new Set(records.map(({ kind, external_id }) => `${kind} ${external_id}`)).size,
      records.length,
    )
  })

  it('maps all 76 series with all fields that the dump provides', () => {
    const texts = series.flatMap(({ fields, links }) => [
      ...new Set([
        ...(links?.producers ?? []).map(({ relation }) => relation),
        ...(links?.people ?? []).map(({ relation }) => relation),
        fields.covers?.length ? 'cover' : 'no cover',
        fields.publication_date ? 'date' : 'no date',
        fields.name_cn ? 'Chinese name' : 'no Chinese name',
        links?.volumes?.length ? 'volumes' : 'no volumes',
        fields.novel_status,
      ]),
    ])
    const counts = Map.groupBy(texts, (name) => name ?? 'no status')
    assert.deepEqual(Object.fromEntries([...counts].map(([name, { length }]) => [name, length])), {
      publisher: 76,
      bunko: 76,
      cover: 76,
      date: 76,
      volumes: 76,
      author: 74,
      illustrator: 72,
      translator: 15,
      editor: 10,
      staff: 6,
      'no Chinese name': 76,
      FINISHED: 7,
      SERIALIZING: 69,
    })
  })

  it('refers only to entries that it yields', () => {
    const known = new Set(records.map(({ kind, external_id }) => `${kind} ${external_id}`))
    const refs = series.flatMap(({ links }) => [
      ...(links?.volumes ?? []).map(({ ref }) => `light_novel_volume ${ref}`),
      ...(links?.people ?? []).map(({ ref }) => `person ${ref}`),
      ...(links?.producers ?? []).map(({ ref }) => `producer ${ref}`),
    ])
    assert.deepEqual(
      refs.filter((ref) => !known.has(ref)),
      [],
    )
  })

  it('maps a series', () => {
    const { fields, links } = findInDump(records, 'light_novel', '3')
    assert.deepEqual(fields, {
      name: 'ダンジョンに出会いを求めるのは間違っているだろうか',
      name_cn: null,
      en_name: 'Is It Wrong to Try to Pick Up Girls in a Dungeon?',
      romaji_name: null,
      ko_name: null,
      other_names: ['Is It Wrong to Try to Pick Up Girls in a Dungeon?'],
      covers: [
        {
          url: 'https://images.ranobedb.org/7LBQXwheYSZLv1Dx.jpg',
          width: 240,
          height: 343,
          sexual: 0,
          violence: 0,
          votes: 0,
        },
      ],
      publication_date: '2021-04-22',
      publication_date_text: null,
      novel_status: 'SERIALIZING',
      total_volumes: 2,
      external_links: [
        { label: 'BookWalker', name: 'bookwalker', url: 'https://bookwalker.jp/series/4034/' },
      ],
      tags: ['sword and sorcery', 'action', 'adventure', 'comedy', 'fantasy', 'anime tie-in'].map(
        (name) => ({ name, likes: 0 }),
      ),
      nsfw: false,
    })
    assert.deepEqual(links?.volumes, [{ ref: '9' }, { ref: '3' }])
    assert.deepEqual(links?.producers, [
      { ref: '3', relation: 'publisher', note: null },
      { ref: '4', relation: 'bunko', note: null },
      { ref: '5', relation: 'publisher', note: 'en' },
      { ref: '6', relation: 'bunko', note: 'en' },
    ])
  })

  it('maps volumes, people and publishers', () => {
    const { fields } = findInDump(records, 'light_novel_volume', '3')
    assert.equal(fields.name, 'ダンジョンに出会いを求めるのは間違っているだろうか17')
    assert.equal(fields.volume_number, 17)
    assert.equal(fields.publication_date, '2021-04-22')
    assert.deepEqual(findInDump(records, 'person', '6').fields.aliases, ['Omori Fujino'])
    assert.equal(findInDump(records, 'producer', '3').fields.type, 'PUBLISHER')
    assert.deepEqual(
      [findInDump(records, 'producer', '4').fields].map(({ name, type, country }) => ({
        name,
        type,
        country,
      })),
      [{ name: 'GA文庫', type: 'LABEL', country: 'JP' }],
    )
    assert.equal(findInDump(records, 'producer', '5').fields.country, null)
  })

  it('reports no remarks', async () => {
    await readDump('ranobedb', SAMPLES.ranobedb, report)
    assert.deepEqual(remarks, [])
  })
})

describe('readRanobedb', () => {
  const { folderOf } = temporaryDumps()

  /** Reads a dump that consists of the given tables. Each table is a list of lines with spaces between the columns. */
  const read = (tables: Record<string, string[]>) =>
    readDump(
      'ranobedb',
      folderOf(
        Object.fromEntries(
          Object.entries(tables).map(([table, lines]) => [
            `${table}.tsv`,
            lines.map((line) => line.split(' ').join('\t')).join('\n'),
          ]),
        ),
      ),
      report,
    )

  const one = {
    series: [
      'id publication_status olang start_date c_start_date c_num_books hidden',
      '1 hiatus ja 20200199 20200105 2 f',
    ],
    series_title: [
      'series_id lang official title romaji',
      '1 en t Title \\N',
      '1 zh-Hant f 書名 \\N',
      '1 zh-Hans f 书名 \\N',
      '1 ja t 題名 Daimei',
    ],
    series_book: [
      'series_id book_id sort_order book_type',
      '1 13 3 sub',
      '1 12 2 main',
      '1 11 1 main',
    ],
    book: [
      'id image_id olang release_date c_release_date hidden',
      '11 1 ja 20200105 20200105 f',
      '12 2 ja 0 20209999 f',
      '13 3 ja 0 99999999 f',
    ],
    book_title: [
      'book_id lang title romaji',
      '11 ja 題名 \\N',
      '12 ja 題名2 \\N',
      '12 zh-Hans 书名2 \\N',
      '13 ja 題名SS \\N',
    ],
    image: ['id nsfw width height filename', '1 f 240 340 a.jpg', '2 t 0 0 b.jpg', '3 f 1 1 c.jpg'],
  }

  it('maps a series’ ids and links at other sites', async () => {
    const series = [
      'id olang mal_id anilist_id hidden website',
      '1 ja 21479 85277 f https://series.example/',
      '2 ja \\N 0 f \\N',
      '3 ja 21x -1 f series.example',
    ]
    const series_title = [1, 2, 3].map((id) => `${id} ja t 題名 \\N`)
    const records = await read({
      ...one,
      series,
      series_title: ['series_id lang official title romaji', ...series_title],
    })
    assert.deepEqual(findInDump(records, 'light_novel', '1').same_as, [
      { source: 'mal', external_id: '21479' },
      { source: 'anilist', external_id: '85277' },
    ])
    assert.deepEqual(
      findInDump(records, 'light_novel', '1').fields.external_links?.map(({ url }) => url),
      [
        'https://series.example/',
        'https://myanimelist.net/manga/21479',
        'https://anilist.co/manga/85277',
      ],
    )
    for (const id of ['2', '3']) {
      const { same_as, fields } = findInDump(records, 'light_novel', id)
      assert.deepEqual([same_as, fields.external_links], [[], []])
    }
  })

  it('uses the original title as the name, and the simplified Chinese title as the Chinese name', async () => {
    const { fields } = findInDump(await read(one), 'light_novel', '1')
    assert.equal(fields.name, '題名')
    assert.equal(fields.name_cn, '书名')
    assert.deepEqual(fields.other_names, ['Title', '書名', 'Daimei'])
  })

  it('ignores a partial date, marks a series as nsfw if one of its images is adult content, and uses the first cover', async () => {
    const { fields } = findInDump(await read(one), 'light_novel', '1')
    assert.equal(fields.publication_date, '2020-01-05')
    assert.equal(fields.novel_status, 'PAUSED')
    assert.equal(fields.nsfw, true)
    assert.equal(fields.covers?.[0]?.url, 'https://images.ranobedb.org/a.jpg')
  })

  it('orders volumes, and numbers those without a number by position, except for side stories', async () => {
    const records = await read(one)
    assert.deepEqual(findInDump(records, 'light_novel', '1').links?.volumes, [
      { ref: '11' },
      { ref: '12' },
      { ref: '13' },
    ])
    const volumes = records.filter((record) => record.kind === 'light_novel_volume')
    assert.deepEqual(
      volumes.map(({ fields }) => [
        fields.volume_type,
        fields.volume_number,
        fields.volume_label,
        fields.relation,
      ]),
      [
        ['MAIN', 1, undefined, 'main'],
        ['MAIN', 2, null, 'main'],
        ['EXTRA', null, 'SS', 'sub'],
      ],
    )
    assert.deepEqual(
      volumes.map(({ fields }) => [
        fields.publication_date,
        fields.publication_date_text,
        fields.name_cn,
        fields.covers?.[0]?.sexual,
      ]),
      [
        ['2020-01-05', null, null, 0],
        [null, '2020', '书名2', 2],
        [null, null, null, 0],
      ],
    )
  })

  it('combines the credits of all books with authors first, and lists each person once per relation', async () => {
    const records = await read({
      ...one,
      staff: ['id hidden', '5 f', '6 f'],
      staff_alias: [
        'id staff_id main_alias name romaji',
        '50 5 f Pen \\N',
        '51 5 t 作者 Sakusha',
        '60 6 t 絵師 \\N',
      ],
      book_staff_alias: [
        'book_id staff_alias_id role_type note',
        '11 60 artist ',
        '11 51 author Story',
        '12 50 author ',
        '12 60 staff Cover',
        '12 99 author ',
      ],
    })
    assert.deepEqual(findInDump(records, 'light_novel', '1').links?.people, [
      { ref: '5', relation: 'author', note: 'Story' },
      { ref: '6', relation: 'illustrator', note: null },
      { ref: '6', relation: 'staff', note: 'Cover' },
    ])
    const { fields } = findInDump(records, 'person', '5')
    assert.equal(fields.name, '作者')
    assert.deepEqual(fields.aliases, ['Sakusha', 'Pen'])
  })

  it('lists publishers of the original first, and notes the language of the other publishers', async () => {
    const records = await read({
      ...one,
      publisher: [
        'id name lang twitter_id website',
        '7 社 ja sha \\N',
        '8 文庫 ja \\N javascript:0',
        '9 Press en \\N \\N',
      ],
      release: ['id lang hidden', '1 en f', '2 ja f', '3 ja t', '4 ja f'],
      release_book: [
        'release_id book_id rtype',
        '1 11 complete',
        '2 12 complete',
        '3 11 complete',
        '4 11 trial',
      ],
      release_publisher: [
        'release_id publisher_id publisher_type',
        '1 9 publisher',
        '1 7 publisher',
        '2 7 publisher',
        '2 8 imprint',
        '3 9 imprint',
        '4 9 imprint',
      ],
    })
    assert.deepEqual(findInDump(records, 'light_novel', '1').links?.producers, [
      { ref: '7', relation: 'publisher', note: null },
      { ref: '8', relation: 'bunko', note: null },
      { ref: '9', relation: 'publisher', note: 'en' },
    ])
    assert.equal(findInDump(records, 'producer', '8').fields.type, 'LABEL')
    assert.deepEqual(findInDump(records, 'producer', '7').fields.labels, [
      { key: 'twitter', value: 'https://x.com/sha' },
    ])
    assert.deepEqual(findInDump(records, 'producer', '7').fields.external_links, [
      { label: 'X', name: 'twitter', url: 'https://x.com/sha' },
    ])
    assert.deepEqual(findInDump(records, 'producer', '8').fields.external_links, [])
  })

  it('skips entries that RanobeDB hides', async () => {
    const [header = '', ...books] = one.book
    const hidden = books.map((line) => (line.startsWith('12') ? line.replace(/f$/, 't') : line))
    const records = await read({ ...one, book: [header, ...hidden] })
    assert.deepEqual(findInDump(records, 'light_novel', '1').links?.volumes, [
      { ref: '11' },
      { ref: '13' },
    ])
    assert.equal(records.filter(({ kind }) => kind === 'light_novel_volume').length, 2)
  })

  it('assigns a book in two series to the first series, and reports the book', async () => {
    const records = await read({
      ...one,
      series: [...one.series, '2 ongoing ja 20200105 20200105 1 f'],
      series_title: [...one.series_title, '2 ja t 別名 \\N'],
      series_book: [...one.series_book, '2 11 1 main'],
    })
    assert.deepEqual(findInDump(records, 'light_novel', '2').links?.volumes, [])
    assert.equal(findInDump(records, 'light_novel', '2').fields.covers?.length, 1)
    assert.ok(remarks.includes('books in two series; assigned to the first: series 2'))
  })

  it('maps the facts printed on a volume’s own releases, with printed originals first', async () => {
    const records = await read({
      ...one,
      release: [
        'id lang format pages isbn13 hidden',
        '1 en print 240 9781975384999 f',
        '2 ja digital 210 \\N f',
        '3 ja print 0 978-4-04-100001-4 f',
        '4 ja print 900 9784041000021 f',
        '5 ja print 200 9784041000038 t',
        '6 ja print \\N 9784041000000 f',
      ],
      release_book: [
        'release_id book_id rtype',
        '1 11 complete',
        '2 11 complete',
        '3 11 complete',
        '5 11 complete',
        '6 11 complete',
        '4 12 complete',
        '4 13 complete',
        '1 13 trial',
      ],
    })
    const printFieldsOf = (id: string) => {
      const { fields, same_as } = findInDump(records, 'light_novel_volume', id)
      return [fields.isbns, fields.page_count, same_as?.map(({ external_id }) => external_id)]
    }
    const isbns = ['9784041000014', '9781975384999']
    assert.deepEqual(printFieldsOf('11'), [isbns, 210, isbns])
    assert.deepEqual(printFieldsOf('12'), [[], undefined, []], 'releases of two books together')
  })

  it('marks a series with an adult tag as nsfw', async () => {
    const tags = {
      tag: ['id name', '1 hentai'],
      series_tag: ['series_id tag_id', '1 1'],
      image: one.image.slice(0, 2),
    }
    assert.equal(findInDump(await read({ ...one, ...tags }), 'light_novel', '1').fields.nsfw, true)
    assert.equal(
      findInDump(await read({ ...one, ...tags, tag: ['id name', '1 action'] }), 'light_novel', '1')
        .fields.nsfw,
      false,
    )
  })

  it('treats missing tables as empty, and reports them', async () => {
    const records = await read({ series: one.series, series_title: one.series_title })
    assert.deepEqual(
      records.map(({ kind }) => kind),
      ['light_novel'],
    )
    assert.ok(
      remarks.includes('table book is missing: every volume not imported: '),
      remarks.join('\n'),
    )
  })

  it('rejects a folder that is not a dump', async () => {
    const dir = folderOf({})
    await assert.rejects(readDump('ranobedb', dir, report), {
      message: `${dir} is a folder without files. Give the .dump.gz of dumps.ranobedb.org, or a folder of its tables.`,
    })
  })
})
