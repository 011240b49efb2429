import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findInDump } from '#test/dumps.ts'
import { readTables, type DumpTables } from '#test/vndb-dump.ts'

const galgame: DumpTables = {
  vn: ['id|c_image|olang|devstatus|alias|description', 'v1|\\N|ja|0||An [i]English[/i] text.'],
  vn_titles: ['id|lang|official|title|latin', 'v1|ja|t|題名|Daimei'],
}
const RELEASE = 'id|olang|released|minage|has_ero|patch|official|engine'

/** Returns galgame v1 from a dump that consists of the galgame and the given tables. */
async function galgameOf(tables: DumpTables) {
  return findInDump((await readTables({ ...galgame, ...tables })).records, 'galgame', 'v1')
}

/** Returns galgame v1 with complete releases r1, r2 … that have the given columns. */
function released(releases: string[], tables: DumpTables = {}) {
  const ids = releases.map((line) => line.split('|')[0])
  return galgameOf({
    releases: [RELEASE, ...releases],
    releases_vn: ['id|vid|rtype', ...ids.map((id) => `${id}|v1|complete`)],
    ...tables,
  })
}

describe('titles of a VNDB galgame', () => {
  it('include the original title, the Chinese title, and all other titles as aliases', async () => {
    const { fields } = await galgameOf({
      vn: ['id|olang|alias', 'v1|ja|Abbr\\n題名\\n\\n略'],
      vn_titles: [
        'id|lang|title|latin|official',
        'v1|en|Title|\\N|t',
        'v1|zh-Hant|書名|\\N|t',
        'v1|zh-Hans|书名|Shu|f',
        'v1|ja|題名|Daimei|t',
      ],
    })
    assert.equal(fields.origin_title, '題名')
    assert.equal(fields.trans_title, '书名')
    assert.equal(fields.en_title, 'Title')
    assert.deepEqual(fields.aliases, ['Abbr', '略', 'Title', '書名', 'Shu', 'Daimei'])
  })

  it('include no translation if the galgame is Chinese', async () => {
    const { fields } = await galgameOf({
      vn: ['id|olang', 'v1|zh-Hans'],
      vn_titles: ['id|lang|official|title|latin', 'v1|zh-Hans|t|书名|\\N', 'v1|zh-Hant|t|書名|\\N'],
    })
    assert.deepEqual(
      [fields.origin_title, fields.trans_title, fields.en_title],
      ['书名', null, null],
    )
    assert.deepEqual(fields.aliases, ['書名'])
  })

  it('are required: a galgame without any title is skipped and reported', async () => {
    const { records, remarks } = await readTables({
      ...galgame,
      vn_titles: ['id|lang|official|title|latin'],
    })
    assert.deepEqual(records, [])
    assert.ok(remarks.includes('galgames without a title; skipped: v1'))
  })
})

describe('description and language of a VNDB galgame', () => {
  it('omit an English description of a Japanese galgame', async () => {
    const { fields } = await galgameOf({})
    assert.deepEqual(
      [fields.origin_intro, fields.origin_lang, fields.dev_status],
      [null, 'ja', 'RELEASED'],
    )
  })

  for (const [olang, tag, intro] of [
    ['en', 'en', 'An English text.'],
    ['pt-br', 'pt-BR', null],
    ['ck', 'chr', null],
  ] as const) {
    it(`use the language tag ${tag} for VNDB’s ${olang}`, async () => {
      const { fields } = await galgameOf({
        vn: ['id|olang|devstatus|description', `v1|${olang}|2|An [i]English[/i] text.`],
      })
      assert.deepEqual(
        [fields.origin_intro, fields.origin_lang, fields.dev_status],
        [intro, tag, 'CANCELLED'],
      )
    })
  }
})

describe('the release date of a VNDB galgame', () => {
  for (const [name, releases, date, note] of [
    [
      'the earliest',
      ['r1|ja|20060223|0|f|f|t|\\N', 'r2|ja|20040428|0|f|f|t|\\N'],
      '2004-04-28',
      undefined,
    ],
    [
      'not that of a patch',
      ['r1|ja|20040101|0|f|t|t|\\N', 'r2|ja|20040428|0|f|f|t|\\N'],
      '2004-04-28',
      undefined,
    ],
    [
      'not unofficial',
      ['r1|ja|20040101|0|f|f|f|\\N', 'r2|ja|20040428|0|f|f|t|\\N'],
      '2004-04-28',
      undefined,
    ],
    [
      'not an unknown one',
      ['r1|ja|0|0|f|f|t|\\N', 'r2|ja|20040428|0|f|f|t|\\N'],
      '2004-04-28',
      undefined,
    ],
    ['a month as a note', ['r1|ja|20261099|0|f|f|t|\\N'], undefined, '2026-10'],
    [
      'a year as a note',
      ['r1|ja|20279999|0|f|f|t|\\N', 'r2|ja|99999999|0|f|f|t|\\N'],
      undefined,
      '2027',
    ],
    ['to be announced', ['r1|ja|99999999|0|f|f|t|\\N'], undefined, 'TBA'],
  ] as const) {
    it(`is ${name}`, async () => {
      const { fields } = await released([...releases])
      assert.equal(fields.release_date, date)
      assert.equal(fields.release_date_tbd, date === undefined)
      assert.equal(fields.release_date_tbd_note, note)
    })
  }

  it('is missing without releases, and so is the adult flag', async () => {
    const { fields } = await galgameOf({})
    assert.deepEqual(
      [fields.release_date, fields.release_date_tbd, fields.nsfw],
      [undefined, undefined, null],
    )
  })

  it('is not taken from partial releases or trials', async () => {
    const { fields } = await released(
      ['r1|ja|20020810|18|t|f|t|\\N', 'r2|ja|20040813|0|f|f|t|\\N'],
      { releases_vn: ['id|vid|rtype', 'r1|v1|partial', 'r1|v1|trial', 'r2|v1|complete'] },
    )
    assert.deepEqual([fields.release_date, fields.nsfw], ['2004-08-13', false])
  })
})

describe('releases of a VNDB galgame', () => {
  it('mark the galgame as adult content by content or age rating, even if they are unofficial or patches', async () => {
    const all = ['r1|ja|20040428|0|f|f|t|\\N']
    assert.equal((await released(all)).fields.nsfw, false)
    assert.equal((await released([...all, 'r2|ja|20040428|17|f|f|t|\\N'])).fields.nsfw, false)
    assert.equal((await released([...all, 'r2|ja|20040428|18|f|f|t|\\N'])).fields.nsfw, true)
    assert.equal((await released([...all, 'r2|en|20040428|\\N|t|t|f|\\N'])).fields.nsfw, true)
  })

  it('provide platforms, earliest first, except for patches and fan releases', async () => {
    const { fields } = await released(
      ['r1|ja|20080101|0|f|f|t|\\N', 'r2|ja|20040101|0|f|f|t|\\N', 'r3|en|20030101|0|f|t|f|\\N'],
      { releases_platforms: ['id|platform', 'r1|psp', 'r1|win', 'r2|win', 'r2|ps2', 'r3|lin'] },
    )
    assert.deepEqual(fields.platforms, ['win', 'ps2', 'psp'])
  })

  it('provide the most frequent engine, given by number or, in older dumps, by name', async () => {
    const engines = { engines: ['id|name|description', '1|RealLive|', '2|Siglus|'] }
    const three = [
      'r1|ja|20040101|0|f|f|t|1',
      'r2|ja|20050101|0|f|f|t|2',
      'r3|ja|20060101|0|f|f|t|2',
    ]
    assert.equal((await released(three, engines)).fields.engine, 'Siglus')
    assert.equal((await released(three.slice(0, 2), engines)).fields.engine, 'RealLive')
    assert.equal((await released(['r1|ja|20040101|0|f|f|t|KiriKiri'])).fields.engine, 'KiriKiri')
    assert.equal((await released(['r1|ja|20040101|0|f|f|t|9'], engines)).fields.engine, null)
  })

  it('provide the website of the earliest official release, unless the galgame has a website', async () => {
    const links = {
      extlinks: [
        'id|site|value',
        '1|website|https://one.example',
        '2|website|https://two.example',
        '3|steam|5',
      ],
      releases_extlinks: ['id|link', 'r1|2', 'r2|3', 'r2|1'],
    }
    const two = ['r1|ja|20050101|0|f|f|t|\\N', 'r2|ja|20040101|0|f|f|t|\\N']
    assert.equal((await released(two, links)).fields.homepage, 'https://one.example')
    const own = { ...links, vn_extlinks: ['id|link', 'v1|2'] }
    assert.equal((await released(two, own)).fields.homepage, 'https://two.example')
  })

  it('provide developers, publishers, and localizers', async () => {
    const { links } = await released(
      [
        'r1|ja|20040101|0|f|f|t|\\N',
        'r2|en|20100101|0|f|f|t|\\N',
        'r3|en|20090101|0|f|t|f|\\N',
        'r4|ja|20080101|0|f|f|f|\\N',
        'r5|ja|20120101|0|f|f|t|\\N',
      ],
      {
        releases_titles: ['id|lang|mtl|title|latin', 'r5|en|f|\\N|\\N', 'r5|ja|f|\\N|\\N'],
        releases_producers: [
          'id|pid|developer|publisher',
          'r1|p1|t|f',
          'r1|p2|f|t',
          'r2|p1|t|f',
          'r2|p3|f|t',
          'r2|p2|f|t',
          'r3|p4|f|t',
          'r3|p4|t|f',
          'r4|p5|t|t',
          'r5|p6|f|t',
        ],
      },
    )
    assert.deepEqual(links?.producers, [
      { ref: 'p1', role: 'DEVELOPER' },
      { ref: 'p2', role: 'PUBLISHER' },
      { ref: 'p6', role: 'PUBLISHER' },
      { ref: 'p4', role: 'LOCALIZER' },
      { ref: 'p3', role: 'LOCALIZER' },
    ])
  })
})

describe('pictures of a VNDB galgame', () => {
  const images = [
    'id|width|height|c_votecount|c_sexual_avg|c_violence_avg',
    'cv1|256|400|5|40|41',
    'cv2|256|400|5|130|131',
    'cv1003|256|400|0|0|0',
    'sf205|800|600|3|0|200',
  ]

  it('have VNDB’s own content grades, and URLs that contain the last two digits of their ids', async () => {
    const { fields } = await galgameOf({
      vn: ['id|olang|c_image', 'v1|ja|cv1003'],
      images,
      vn_screenshots: ['id|scr|rid', 'v1|sf205|\\N'],
    })
    assert.deepEqual(fields.covers, [
      {
        url: 'https://t.vndb.org/cv/03/cv1003.jpg',
        width: 256,
        height: 400,
        sexual: 2,
        violence: 2,
        votes: 0,
        kind: null,
        language: null,
      },
    ])
    assert.deepEqual(fields.images, [
      {
        url: 'https://t.vndb.org/sf/05/sf205.jpg',
        width: 800,
        height: 600,
        sexual: 0,
        violence: 2,
      },
    ])
  })

  it('order covers by votes, then VNDB’s choice, then front covers in the original language', async () => {
    const { fields } = await released(
      ['r1|en|20040101|0|f|f|t|\\N', 'r2|ja|20050101|0|f|f|t|\\N'],
      {
        vn: ['id|olang|c_image', 'v1|ja|cv1003'],
        images,
        releases_images: [
          'id|img|vid|itype|lang',
          'r1|cv1|v1|pkgfront|{en}',
          'r1|cv9|v2|pkgfront|\\N',
          'r1|cv8|v1|pkgback|\\N',
          'r2|cv2|\\N|dig|\\N',
          'r2|cv1003|v1|pkgfront|{ja,en}',
        ],
        vn_image_votes: ['vid|uid|img', 'v1|u1|cv7', 'v1|\\N|cv7', 'v1|u3|cv1', 'v2|u1|cv2'],
      },
    )
    assert.deepEqual(
      fields.covers?.map(({ url, votes }) => [url.slice(-10), votes]),
      [
        ['07/cv7.jpg', 2],
        ['01/cv1.jpg', 1],
        ['cv1003.jpg', 0],
        ['02/cv2.jpg', 0],
      ],
    )
    assert.deepEqual(
      fields.covers?.map(({ kind, language }) => [kind, language]),
      [
        [null, null],
        ['PKGFRONT', 'en'],
        ['PKGFRONT', 'ja'],
        ['DIG', 'ja'],
      ],
    )
    assert.deepEqual(
      fields.covers?.map(({ sexual, violence, width }) => [sexual, violence, width]),
      [
        [2, 2, null],
        [0, 1, 256],
        [2, 2, 256],
        [1, 2, 256],
      ],
    )
  })
})

describe('people and relations of a VNDB galgame', () => {
  const people: DumpTables = {
    staff: ['id|gender|lang|main|description|prod', 's1|m|ja|10||\\N', 's2|f|ja|20||\\N'],
    staff_alias: ['id|aid|name|latin', 's1|10|田中|Tanaka', 's1|11|山田|Yamada', 's2|20|声|Koe'],
  }

  it('include the credited alias, and list each person once per role', async () => {
    const { links } = await galgameOf({
      ...people,
      vn_staff: [
        'id|aid|role|eid|note',
        'v1|11|scenario|\\N|',
        'v1|10|scenario|1|',
        'v1|10|staff|\\N|Planning',
        'v1|99|art|\\N|',
      ],
    })
    assert.deepEqual(links?.staff, [
      { ref: 's1', credited_as: '山田', role: 'SCENARIO' },
      { ref: 's1', credited_as: null, role: 'PLANNING' },
    ])
  })

  it('list characters by their most important role without spoilers, with their voice actors', async () => {
    const { links } = await galgameOf({
      ...people,
      chars_vns: [
        'id|vid|rid|role|spoil',
        'c1|v1|r1|appears|0',
        'c2|v1|\\N|side|0',
        'c3|v1|\\N|primary|2',
        'c4|v1|r1|side|0',
        'c4|v1|r2|primary|0',
        'c4|v1|r3|main|1',
        'c5|v1|\\N|main|0',
        'c6|v2|\\N|main|0',
      ],
      vn_seiyuu: ['id|cid|aid|note', 'v1|c4|20|', 'v1|c4|20|again', 'v1|c4|11|', 'v2|c5|20|'],
    })
    assert.deepEqual(links?.characters, [
      { ref: 'c5', role: 'MAIN', actors: [] },
      {
        ref: 'c4',
        role: 'MAIN',
        actors: [
          { ref: 's2', credited_as: null },
          { ref: 's1', credited_as: '山田' },
        ],
      },
      { ref: 'c2', role: 'SUPPORTING', actors: [] },
      { ref: 'c1', role: 'GUEST', actors: [] },
    ])
  })

  it('include every kind of relation, even to galgames that are not in the dump', async () => {
    const codes = ['seq', 'preq', 'set', 'alt', 'char', 'side', 'par', 'ser', 'fan', 'orig']
    const tables = {
      ...galgame,
      vn_relations: [
        'id|vid|relation|official',
        ...codes.map((code, at) => `v1|v${at + 2}|${code}|t`),
        'v1|v9|new|t',
      ],
    }
    const { records, remarks } = await readTables(tables)
    assert.deepEqual(
      findInDump(records, 'galgame', 'v1').links?.relations?.map(
        ({ ref, relation }) => `${ref} ${relation}`,
      ),
      [
        'v2 SEQUEL',
        'v3 PREQUEL',
        'v4 SAME_SETTING',
        'v5 ALTERNATIVE',
        'v6 SHARES_CHARACTERS',
        'v7 SIDE_STORY',
        'v8 PARENT_STORY',
        'v9 SAME_SERIES',
        'v10 FANDISC',
        'v11 ORIGINAL_GAME',
      ],
    )
    assert.ok(remarks.includes('unknown value in vn_relations.relation: new: v1'))
  })
})

describe('ids and timestamps of a VNDB galgame', () => {
  it('include Bangumi and Wikidata ids and the entry’s timestamps', async () => {
    const { same_as, fields } = await galgameOf({
      extlinks: ['id|site|value', '1|bgmtv|13', '2|wikidata|5'],
      vn_extlinks: ['id|link', 'v1|1', 'v1|2', 'v1|99'],
      entry_meta: [
        'id|created|lastmod|revision',
        'v1|2007-10-01|2026-06-30|9',
        'r1|2001-01-01|2001-01-01|1',
      ],
    })
    assert.deepEqual(same_as, [
      { source: 'bangumi', external_id: '13' },
      { source: 'wikidata', external_id: '5' },
    ])
    assert.deepEqual(
      [fields.created_at, fields.updated_at, fields.revised_at],
      ['2007-10-01', '2026-06-30', '2026-06-30'],
    )
  })
})
