import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { countKinds, findImported, importFolder, type Import } from '#test/bangumi-imports.ts'

const sample = (name: string) =>
  importFolder(fileURLToPath(new URL(`../../../sample/${name}`, import.meta.url)))

function assertValid({ records }: Import): void {
  const keys = records.map(({ kind, external_id }) => `${kind} ${external_id}`)
  assert.deepEqual(
    keys.filter((key, index) => keys.indexOf(key) !== index),
    [],
    'external ids are unique within a kind',
  )
  for (const { kind, external_id, fields, links } of records) {
    for (const [name, value] of Object.entries({ ...fields, ...links })) {
      assert.notEqual(value, '', `${kind} ${external_id} ${name}`)
      assert.notEqual(value, null, `${kind} ${external_id} ${name}`)
      assert.notDeepEqual(value, [], `${kind} ${external_id} ${name}`)
    }
    assert.ok(
      !JSON.stringify({ fields, links }).includes(String.raw`\r`),
      `${kind} ${external_id} has a carriage return`,
    )
  }
}

describe('readBangumi with the sample of the Archive', async () => {
  const archive = await sample('bangumi-archive')

  it('yields the expected entries, and reports those that it skips', () => {
    assert.deepEqual(countKinds(archive), {
      light_novel: 5,
      galgame: 4,
      manga: 3,
      person: 156,
      producer: 37,
      character: 24,
    })
    assert.deepEqual(Object.fromEntries(archive.remarks), {
      'not imported: anime': 44,
      'not imported: music': 8,
      'not imported: television and film': 22,
      'not imported: games that are not galgames': 7,
      'not imported: books that are neither manga nor novels': 2,
      'not imported: volumes whose series is not in the dump': 1,
    })
  })

  it('yields valid records', () => assertValid(archive))

  it('maps all fields of CLANNAD', () => {
    const { covers, origin_intro, trans_intro, tags, prices, ...fields } = findImported(
      archive,
      'galgame',
      13,
    ).fields
    assert.deepEqual(fields, {
      source_scores: [{ source: 'bangumi', score: 8.9, votes: 3_541, rank: 8 }],
      origin_title: 'CLANNAD',
      aliases: ['小镇家族', 'クラナド'],
      nsfw: false,
      release_date: '2004-04-28',
      release_date_tbd: false,
      dev_status: 'RELEASED',
      adv_type: '恋爱ADV',
      platforms: ['win', 'ps2', 'psp', 'xb3', 'ps3', 'swi', 'psv', 'ps4'],
      homepage: 'http://key.visualarts.gr.jp/product/clannad/',
      engine: 'RealLive',
      origin_lang: 'ja',
      external_links: [
        {
          label: 'Official website',
          name: 'website',
          url: 'http://key.visualarts.gr.jp/product/clannad/',
        },
      ],
    })
    assert.match(origin_intro ?? '', /^季節は春、.*描き出していきます。$/s)
    assert.match(trans_intro ?? '', /^《CLANNAD》为2004年.*落泪游戏。$/s)
    assert.deepEqual(tags?.slice(0, 2), [
      { name: 'key', likes: 1508 },
      { name: 'CLANNAD', likes: 1290 },
    ])
    assert.deepEqual(covers, [
      {
        url: 'https://lain.bgm.tv/pic/cover/l/c5/1c/13_tQxwM.jpg',
        width: null,
        height: null,
        sexual: 0,
        violence: 0,
        votes: 0,
      },
    ])
    assert.deepEqual(
      prices?.map(({ version, amount, currency, tax_included }) => [
        version,
        amount,
        currency,
        tax_included,
      ]),
      [
        ['PC', 7500, 'JPY', false],
        ['PS2', 7560, 'JPY', true],
        ['PCフルボイス', 6800, 'JPY', false],
        ['PSP', 6090, 'JPY', true],
        ['Xbox360', 6720, 'JPY', true],
        ['PCメモリアルエディション', 5800, 'JPY', false],
        ['Steam - CLANNAD HD Edition', 133, null, null],
      ],
    )
  })

  it('maps CLANNAD’s writers, companies, and characters, with voice actors that are missing from the dump', () => {
    const { staff, producers, characters } = findImported(archive, 'galgame', 13).links ?? {}
    assert.deepEqual(
      staff,
      ['麻枝准', '魁', '涼元悠一', '丘野塔也'].map((name) => ({
        ref: `name:${name}`,
        role: 'SCENARIO',
      })),
    )
    assert.deepEqual(producers?.slice(0, 3), [
      { ref: 'name:Key', role: 'DEVELOPER' },
      { ref: 'name:Key', role: 'PUBLISHER' },
      { ref: 'name:ビジュアルアーツ', role: 'PUBLISHER', note: 'PC' },
    ])
    assert.deepEqual(
      characters?.map(({ ref, role, actors }) => [ref, role, actors.map((actor) => actor.ref)]),
      [
        ['4', 'MAIN', ['4145']],
        ['7', 'MAIN', ['4165']],
        ['8', 'MAIN', ['3867']],
        ['6', 'MAIN', ['4371']],
        ['5', 'MAIN', ['3827']],
      ],
    )
  })

  it('marks the adult game and its cover', () => {
    const { nsfw, covers } = findImported(archive, 'galgame', 220165).fields
    assert.deepEqual([nsfw, covers?.[0]?.sexual], [true, 2])
  })

  it('recognizes a galgame by its genre if it has no tags', () => {
    assert.equal(findImported(archive, 'galgame', 11197).fields.adv_type, '女装学園AVG')
    assert.equal(findImported(archive, 'galgame', 4828).fields.trans_title, 'Muv-Luv Alternative')
  })

  it('maps a novel with credits from the relation file', () => {
    const { fields, links } = findImported(archive, 'light_novel', 22267)
    assert.deepEqual(
      [
        fields.name,
        fields.name_cn,
        fields.total_volumes,
        fields.novel_status,
        fields.publication_date,
      ],
      ['星界の戦旗', '星界的战旗', 6, 'SERIALIZING', '1996-12-11'],
    )
    assert.match(fields.summary ?? '', /^　　前作『星界の紋章』/)
    assert.equal(fields.summary_cn, undefined)
    assert.deepEqual(links?.people, [{ ref: '9', relation: 'author', note: null }])
    assert.equal(findImported(archive, 'person', 9).fields.trans_name, '森冈浩之')
  })

  it('maps a novel with credits from the infobox', () => {
    const { fields, links } = findImported(archive, 'light_novel', 499)
    assert.deepEqual([fields.novel_status, fields.total_volumes], ['FINISHED', 16])
    assert.deepEqual(links?.people, [
      { ref: 'name:野村美月', relation: 'author', note: null },
      { ref: 'name:竹岡美穂', relation: 'illustrator', note: null },
    ])
    assert.deepEqual(
      links?.producers?.map(({ ref, relation }) => `${relation} ${ref}`),
      [
        'publisher name:エンターブレイン',
        'publisher name:尖端出版',
        'publisher name:人民文学出版社',
        'publisher name:上海文艺出版社',
        'magazine name:FB Online',
      ],
    )
  })

  it('maps a manga with labels and bracketed text as notes, and ignores dates that only name a magazine issue', () => {
    const { fields, links } = findImported(archive, 'manga', 495)
    assert.deepEqual(
      links?.producers?.map(({ ref, role, note }) => [ref, role, note]),
      [
        ['name:講談社', 'PUBLISHER', 'jp'],
        ['name:東立', 'PUBLISHER', 'tw'],
        ['name:週刊ヤングマガジン', 'MAGAZINE', '2003年 - 2010年'],
        ['name:別冊少年マガジン', 'MAGAZINE', '2010年 - 2011年'],
      ],
    )
    assert.deepEqual(
      [
        fields.serial_status,
        fields.publication_date,
        fields.publication_end_date,
        fields.origin_country,
      ],
      ['FINISHED', undefined, undefined, 'JP'],
    )
  })

  it('finds a group by its name, and maps it to both a person and a producer', () => {
    assert.deepEqual(findImported(archive, 'manga', 497).links?.people, [
      { ref: '39', role: 'AUTHOR', note: '' },
    ])
    assert.equal(findImported(archive, 'person', 39).fields.name, 'CLAMP')
    assert.equal(findImported(archive, 'producer', 39).fields.type, undefined)
    assert.equal(findImported(archive, 'producer', 603).fields.type, 'COMPANY')
  })

  it('maps the personal details of characters', () => {
    const nagisa = findImported(archive, 'character', 4).fields
    assert.deepEqual(
      [nagisa.name, nagisa.gender, nagisa.blood_type, nagisa.birthday_month, nagisa.birthday_day],
      ['古河渚', 'female', 'A', 12, 24],
    )
    assert.deepEqual(
      [nagisa.height, nagisa.weight, nagisa.bust, nagisa.waist, nagisa.hips],
      [155, 43, 80, 55, 81],
    )
    assert.deepEqual(nagisa.labels, [{ key: '声优', value: '中原麻衣' }])
    const lelouch = findImported(archive, 'character', 1).fields
    assert.deepEqual(
      [lelouch.height, lelouch.trans_name, lelouch.blood_type],
      [178, '鲁路修·兰佩路基', 'A'],
    )
    assert.equal(findImported(archive, 'character', 34).fields.gender, undefined)
  })

  it('keeps unused infobox fields of a person as labels, and single nicknames as aliases', () => {
    const { aliases, gender, labels } = findImported(archive, 'person', 1).fields
    assert.equal(gender, 'female')
    assert.ok(aliases?.includes('奈々ちゃん') && aliases.includes('Mizuki Nana'))
    assert.ok(labels?.some(({ key, value }) => key === '星座' && value === '水瓶座'))
    assert.ok(!labels?.some(({ key }) => key === '性别' || key === '别名'))
  })
})

describe('readBangumi with single rows', async () => {
  const rows = await sample('bangumi-rows')

  it('yields the expected entries, without a volume whose series is missing', () => {
    assert.deepEqual(countKinds(rows), { light_novel: 7, manga: 18, person: 34, producer: 33 })
    assert.deepEqual(Object.fromEntries(rows.remarks), {
      'not imported: books that are neither manga nor novels': 3,
      'not imported: volumes whose series is not in the dump': 65,
    })
  })

  it('yields valid records', () => assertValid(rows))

  it('maps the facts printed on a single book, and marks it as finished', () => {
    const { fields } = findImported(rows, 'manga', 326438)
    assert.deepEqual(
      [fields.isbn, fields.price_amount, fields.price_currency, fields.pages, fields.serial_status],
      ['9784046801470', 1100, 'JPY', 120, 'FINISHED'],
    )
  })

  it('keeps a partial date as text', () => {
    const { fields } = findImported(rows, 'light_novel', 58693)
    assert.deepEqual(
      [fields.publication_date, fields.publication_date_text],
      [undefined, '2007-08'],
    )
  })

  it('derives the facts about a running serial from its tags and magazine', () => {
    const { fields } = findImported(rows, 'manga', 535740)
    assert.deepEqual(
      [
        fields.serial_status,
        fields.origin_country,
        fields.reading_mode,
        fields.audience,
        fields.publication_date,
      ],
      ['SERIALIZING', 'JP', 'PAGED_RTL', 'SHONEN', '2025-02-07'],
    )
  })

  it('maps a webtoon, and keeps the bracketed spelling of a name as a note', () => {
    const { fields, links } = findImported(rows, 'manga', 469106)
    assert.deepEqual([fields.reading_mode, fields.origin_country], ['WEBTOON', 'KR'])
    assert.deepEqual(links?.people, [{ ref: 'name:수락', role: 'AUTHOR', note: 'Soorak' }])
  })
})
