import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { SourceRecord } from '../records/record.ts'
import { findInDump, listRemarks, readDump, temporaryDumps } from '#test/dumps.ts'

const silent = { note: () => {} }
const sample = fileURLToPath(new URL('../../../sample/vndb', import.meta.url))

describe('readVndb with the sample', () => {
  let records: SourceRecord[]
  const names = new Map<string, string | null | undefined>()
  before(async () => {
    records = await readDump('vndb', sample, silent)
    for (const { kind, external_id, fields } of records)
      if ('name' in fields) names.set(`${kind} ${external_id}`, fields.name)
  })

  /** Returns a galgame's staff as `ROLE name`. */
  const staffOf = (id: string) =>
    findInDump(records, 'galgame', id).links?.staff?.map(
      ({ ref, role }) => `${role} ${names.get(`person ${ref}`)}`,
    )

  /** Returns a galgame's characters as `ROLE name: voices`. */
  const castOf = (id: string) =>
    findInDump(records, 'galgame', id).links?.characters?.map(({ ref, role, actors }) => {
      const voices = actors.map((actor) => names.get(`person ${actor.ref}`)).join(', ')
      return `${role} ${names.get(`character ${ref}`)}: ${voices}`
    })

  const producersOf = (id: string) =>
    findInDump(records, 'galgame', id).links?.producers?.map(
      ({ ref, role }) => `${role} ${names.get(`producer ${ref}`)}`,
    )

  it('yields every entry once', () => {
    const groups = Object.entries(Object.groupBy(records, ({ kind }) => kind))
    assert.deepEqual(Object.fromEntries(groups.map(([kind, { length }]) => [kind, length])), {
      producer: 23,
      person: 118,
      character: 138,
      galgame: 23,
    })
    assert.equal(
      new Set(records.map(({ kind, external_id }) => `${kind} ${external_id}`)).size,
      records.length,
    )
  })

  it('refers only to entries that it yields', () => {
    const known = new Set(records.map(({ kind, external_id }) => `${kind} ${external_id}`))
    const refs = records.flatMap((record) => {
      if (record.kind !== 'galgame') return []
      const { staff = [], characters = [], producers = [], relations = [] } = record.links ?? {}
      return [
        ...staff.map(({ ref }) => `person ${ref}`),
        ...characters.flatMap(({ ref, actors }) => [
          `character ${ref}`,
          ...actors.map((item) => `person ${item.ref}`),
        ]),
        ...producers.map(({ ref }) => `producer ${ref}`),
        ...relations.map(({ ref }) => `galgame ${ref}`),
      ]
    })
    assert.deepEqual(
      refs.filter((ref) => !known.has(ref)),
      [],
    )
  })

  it('maps CLANNAD', () => {
    const { same_as, fields, links } = findInDump(records, 'galgame', 'v4')
    assert.deepEqual(same_as, [{ source: 'bangumi', external_id: '13' }])
    assert.deepEqual(fields, {
      source_scores: [{ source: 'vndb', score: 8.55, votes: 14_000, rank: null }],
      origin_title: 'CLANNAD',
      trans_title: null,
      en_title: 'CLANNAD',
      romaji_title: null,
      ko_title: null,
      aliases: ['クラナド'],
      covers: [],
      images: [],
      release_date: '2004-04-28',
      release_date_tbd: false,
      platforms: ['win', 'ps2', 'psp', 'xb3', 'ps3', 'psv', 'ps4', 'swi'],
      homepage: 'http://key.visualarts.gr.jp/product/clannad/',
      engine: 'RealLive',
      nsfw: false,
      origin_intro: null,
      en_intro:
        'Okazaki Tomoya dislikes the town he lives in, and school with it, until he meets a girl at the foot of the ' +
        'slope that leads there. Whom he comes to know decides what his last year at school is about, and what comes ' +
        'after it.',
      origin_lang: 'ja',
      dev_status: 'RELEASED',
      external_links: [
        { label: 'Bangumi', name: 'bgmtv', url: 'https://bgm.tv/subject/13' },
        {
          label: 'Official website',
          name: 'website',
          url: 'http://key.visualarts.gr.jp/product/clannad/',
        },
        { label: 'Steam', name: 'steam', url: 'https://store.steampowered.com/app/324160/' },
      ],
      steam_apps: [{ app_id: 324160 }],
      tags: [],
      spoiler_tags: [],
    })
    assert.deepEqual(links?.relations, [{ ref: 'v12', relation: 'SEQUEL' }])
    assert.deepEqual(producersOf('v4'), [
      'DEVELOPER Key',
      'PUBLISHER 株式会社ビジュアルアーツ',
      'PUBLISHER インターチャネル',
      'PUBLISHER 株式会社プロトタイプ',
      'LOCALIZER Sekai Project',
    ])
  })

  it('maps the staff and voice actors of CLANNAD', () => {
    assert.deepEqual(staffOf('v4'), [
      'SCENARIO 麻枝准',
      'SCENARIO 魁',
      'SCENARIO 涼元悠一',
      'CHARACTER_DESIGN 樋上いたる',
      'GRAPHICS 樋上いたる',
      'MUSIC 折戸伸治',
      'MUSIC 戸越まごめ',
      'MUSIC 麻枝准',
      'THEME_PERFORMANCE riya',
      'PLANNING 麻枝准',
      'THEME_LYRICS 麻枝准',
      'THEME_LYRICS riya',
      'THEME_COMPOSITION 菊地創',
    ])
    assert.deepEqual(castOf('v4')?.slice(0, 3), [
      'MAIN 岡崎朋也: ',
      'MAIN 古河渚: 中原麻衣',
      'MAIN 藤林杏: 広橋涼',
    ])
    assert.ok(castOf('v4')?.includes('SUPPORTING 春原陽平: 阪口大助'))
  })

  it('maps the character 古河渚', () => {
    const nagisa = records.find(({ fields }) => 'name' in fields && fields.name === '古河渚')
    assert.ok(nagisa?.kind === 'character')
    const { gender, blood_type, birthday_month, birthday_day, height, labels } = nagisa.fields
    assert.deepEqual(
      { gender, blood_type, birthday_month, birthday_day, height, labels },
      {
        gender: 'female',
        blood_type: 'A',
        birthday_month: 12,
        birthday_day: 24,
        height: 155,
        labels: [{ key: 'Role', value: 'High School Student' }],
      },
    )
  })

  it('marks adult galgames', () => {
    const adult = records.filter((record) => record.kind === 'galgame' && record.fields.nsfw)
    assert.deepEqual(adult.map(({ external_id }) => external_id).toSorted(), [
      'v11',
      'v12',
      'v2',
      'v3',
      'v33',
      'v36',
      'v66',
      'v7',
      'v92',
      'v93',
      'v97',
    ])
  })

  it('gives a writer the same name in a galgame’s staff and in the writer’s own entry', () => {
    const [writer] = findInDump(records, 'galgame', 'v2').links?.staff ?? []
    assert.equal(writer?.credited_as, '山田一')
    assert.equal(names.get(`person ${writer?.ref}`), '田中ロミオ')
    assert.ok(staffOf('v66')?.includes('SCENARIO 田中ロミオ'))
  })

  it('maps the makers of translation patches to localizers, and never treats a patch as the first release', () => {
    assert.equal(findInDump(records, 'galgame', 'v11').fields.release_date, '2004-01-30')
    assert.equal(producersOf('v11')?.at(-1), 'LOCALIZER mirror moon')
  })

  it('also accepts the folder `db` itself', async () => {
    const repeated = await readDump('vndb', join(sample, 'db'), silent)
    assert.deepEqual(repeated, records)
  })
})

describe('readVndb', () => {
  it('reads the website column of producers in a dump from 2023, and reports missing tables', async () => {
    const report = listRemarks()
    const dump = fileURLToPath(new URL('fixtures/2023-06-old-columns', import.meta.url))
    const records = await readDump('vndb', dump, report)
    assert.equal(records.length, 514)
    const intro =
      'Type-Moon is a prominent Japanese game company, best known for their visual novels. It is owned by Notes ' +
      'Co., Ltd.. After creating the popular visual novel Tsukihime as a doujin soft organization, Type-Moon has ' +
      'since incorporated and produced the immensely popular visual novel Fate/stay night. Both of their works ' +
      'have been adapted into anime and manga series that have amassed a global fanbase.'
    assert.deepEqual(findInDump(records, 'producer', 'p6').fields, {
      name: 'TYPE-MOON',
      type: 'COMPANY',
      aliases: ['タイプムーン', 'Type Moon', '型月'],
      intro,
      en_intro: intro,
      country: 'JP',
      website: 'http://www.typemoon.com/',
      labels: [],
      external_links: [
        { label: 'Official website', name: 'website', url: 'http://www.typemoon.com/' },
      ],
    })
    assert.ok(report.remarks.includes('table vn is missing: every galgame not imported: '))
    assert.ok(!report.remarks.includes('missing column: producers.website'))
  })

  it('rejects a folder that is not a dump', async () => {
    const { dir } = temporaryDumps()
    await assert.rejects(readDump('vndb', dir, silent), {
      message: `${dir} is a folder without files. Give the .tar.zst of dl.vndb.org/dump, or a folder of its tables.`,
    })
  })
})
