import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { findImported, importFiles } from '#test/bangumi-imports.ts'
import { by, credit, GAME, MANGA_ROW, NOVEL, relation, release } from '#test/bangumi-rows.ts'

describe('readBangumi', () => {
  it('maps an entry without its infobox if the infobox is unreadable', async () => {
    const broken = '{{Infobox animanga/Novel\n|作者= 甲\n|\n}}'
    const dump = await importFiles({
      subject: [
        {
          ...NOVEL,
          id: 1,
          name: '物語',
          infobox: broken,
          date: '2013-08-12',
          summary: 'これは物語です。',
        },
      ],
      person: [{ id: 8, name: '乙', type: 1, infobox: '{{Infobox Crt\n|性别= 女\n}' }],
    })
    assert.deepEqual(findImported(dump, 'light_novel', 1).fields, {
      name: '物語',
      nsfw: false,
      publication_date: '2013-08-12',
      summary: 'これは物語です。',
    })
    assert.deepEqual(findImported(dump, 'person', 8).fields, { name: '乙' })
    assert.equal(dump.remarks.get('unreadable infoboxes; ignored'), 2)
  })

  it('maps credits to staff and producers, and infers the type of a company from its works', async () => {
    const dump = await importFiles({
      subject: [
        {
          ...GAME,
          id: 1,
          name: '遊',
          infobox: '{{Infobox Game\n|剧本= 甲\n|音乐= 乙\n|发行= 丁社（Steam）\n}}',
        },
        { ...MANGA_ROW, id: 2, name: '漫', infobox: by('丙', '|书系= 丁社\n|译者= 戊\n') },
        { ...GAME, id: 3, name: '遊 続', platform: 0 },
        { ...GAME, id: 4, name: '遊 DLC', platform: 4003 },
      ],
      person: [
        { id: 11, name: '甲', type: 1, infobox: '' },
        { id: 12, name: '丁社', type: 2, infobox: '' },
        { id: 13, name: '別の丙', type: 1, infobox: '{{Infobox Crt\n|简体中文名= 丙\n}}' },
        { id: 14, name: '乙', type: 1, infobox: '' },
        { id: 15, name: '乙', type: 1, infobox: '' },
      ],
      'subject-persons': [
        credit(1, 99, 1004),
        credit(1, 11, 1034),
        credit(1, 11, 1001),
        credit(2, 12, 2004, '第1卷'),
        credit(2, 12, 2004),
        credit(2, 11, 2006),
      ],
      'subject-relations': [
        relation(1, 4003, 3),
        relation(1, 4003, 4),
        relation(1, 4013, 3),
        relation(1, 4016, 3),
        relation(3, 4002, 1),
        relation(3, 4099, 1),
      ],
    })
    const game = findImported(dump, 'galgame', 1).links
    assert.deepEqual(game?.staff, [
      { ref: '99', role: 'SCENARIO' },
      { ref: 'name:乙', role: 'MUSIC' },
      { ref: '11', role: null },
    ])
    assert.deepEqual(game?.producers, [
      { ref: '11', role: 'DEVELOPER' },
      { ref: '12', role: 'PUBLISHER', note: 'Steam' },
    ])
    assert.deepEqual(
      game?.relations?.map(({ ref, relation: word }) => `${ref} ${word}`),
      ['3 SEQUEL', '3 MAIN_VERSION', '3 COLLECTION'],
    )
    assert.deepEqual(findImported(dump, 'galgame', 3).links?.relations, [
      { ref: '1', relation: 'PREQUEL' },
    ])
    const manga = findImported(dump, 'manga', 2).links
    assert.deepEqual(manga?.people, [{ ref: '13', role: 'AUTHOR', note: '' }])
    assert.deepEqual(manga?.producers, [
      { ref: '12', role: 'PUBLISHER', note: '第1卷' },
      { ref: '12', role: 'LABEL', note: '' },
    ])
    assert.equal(findImported(dump, 'producer', 12).fields.type, 'PUBLISHER')
    assert.equal(findImported(dump, 'producer', 11).fields.type, 'INDIVIDUAL')
    assert.equal(findImported(dump, 'person', 11).fields.name, '甲')
    assert.equal(dump.remarks.get('manga credits without a role in the catalog: 译者'), 1)
    assert.equal(dump.remarks.get('not imported: DLC'), 1)
  })

  it('maps the official site, links to known sites, and Steam games', async () => {
    const links =
      '|链接={\n[Steam|https://store.steampowered.com/app/324160/CLANNAD/]\n[维基|https://ja.wikipedia.org/wiki/CLANNAD]' +
      '\n[博客|https://blog.example/]\n[再|https://store.steampowered.com/app/324160/CLANNAD/]\n[坏|javascript:alert(1)]\n}\n'
    const dump = await importFiles({
      subject: [
        {
          ...GAME,
          id: 1,
          name: '遊',
          infobox: `{{Infobox Game\n|website= http://game.example\n${links}}}`,
        },
        { ...MANGA_ROW, id: 2, name: '漫', infobox: by('丙', '|官网= https://x.com/manga\n') },
      ],
      person: [
        {
          id: 8,
          name: '乙',
          type: 1,
          infobox: `{{Infobox Crt\n|官网= https://me.example/\n${links}}}`,
        },
        { id: 9, name: '社', type: 2, infobox: `{{Infobox Crt\n${links}}}` },
      ],
      character: [{ id: 3, name: '渚', infobox: `{{Infobox Crt\n${links}}}` }],
    })
    const { fields } = findImported(dump, 'galgame', 1)
    assert.deepEqual(fields.external_links, [
      { label: 'Official website', name: 'website', url: 'http://game.example/' },
      { label: 'Steam', name: 'steam', url: 'https://store.steampowered.com/app/324160/CLANNAD/' },
      { label: 'Wikipedia', name: 'wikipedia', url: 'https://ja.wikipedia.org/wiki/CLANNAD' },
    ])
    assert.deepEqual(fields.steam_apps, [{ app_id: 324160 }])
    for (const [kind, id, names] of [
      ['person', 8, ['website', 'steam', 'wikipedia']],
      ['producer', 9, ['steam', 'wikipedia']],
      ['character', 3, ['steam', 'wikipedia']],
    ] as const)
      assert.deepEqual(
        findImported(dump, kind, id).fields.external_links?.map(({ name }) => name),
        names,
      )
    assert.deepEqual(findImported(dump, 'manga', 2).fields.external_links, [
      { label: 'X', name: 'twitter', url: 'https://x.com/manga' },
    ])
  })

  it('keeps an incomplete release date as a note', async () => {
    const dump = await importFiles({
      subject: [
        { ...GAME, id: 1, name: 'a', infobox: release('1977年11月'), date: '1977-11-01' },
        { ...GAME, id: 2, name: 'b', infobox: release('未定') },
        { ...GAME, id: 3, name: 'c', infobox: release('2027-01-29') },
        { ...GAME, id: 4, name: 'd' },
      ],
    })
    const values = [1, 2, 3, 4].map((id) => {
      const { fields } = findImported(dump, 'galgame', id)
      return [
        fields.release_date,
        fields.release_date_tbd,
        fields.release_date_tbd_note,
        fields.dev_status,
      ]
    })
    assert.deepEqual(values, [
      [undefined, true, '1977-11', 'RELEASED'],
      [undefined, true, '未定', undefined],
      ['2027-01-29', false, undefined, undefined],
      [undefined, undefined, undefined, undefined],
    ])
  })

  it('keeps editions as the wiki writes them', async () => {
    const golden = readFileSync(new URL('fixtures/golden.jsonl', import.meta.url), 'utf8')
      .trim()
      .split('\n')
    const inputs = golden.map((line): string => JSON.parse(line).input)
    const dump = await importFiles({
      subject: inputs
        .filter((input) => input.includes('版本:'))
        .map((infobox, index) => ({
          ...MANGA_ROW,
          id: index + 1,
          name: `m${index}`,
          series: true,
          infobox,
        })),
    })
    const editions = dump.records.flatMap((record) =>
      record.kind === 'manga' ? (record.fields.editions ?? []) : [],
    )
    assert.equal(editions.length, 10)
    assert.deepEqual(
      editions.find(({ label }) => label === '出格版'),
      {
        label: '出格版',
        fields: {
          出版社: '出格文化',
          插图: '你好好好菌、魔像建造与修复',
          发售日: '2021-10-30（预售）',
          册数: '2',
          价格: '159HKD',
          ISBN: '9789887548218',
          加笔: '独家番外8k字',
        },
      },
    )
  })

  it('uses the first of two rows with the same id', async () => {
    const dump = await importFiles({
      subject: [
        { ...GAME, id: 1, name: 'a' },
        { ...GAME, id: 1, name: 'b' },
      ],
    })
    assert.deepEqual(
      dump.records.map((record) => record.kind === 'galgame' && record.fields.origin_title),
      ['a'],
    )
  })

  it('reads a dump with missing files', async () => {
    assert.deepEqual((await importFiles({ person: [] })).records, [])
    assert.deepEqual((await importFiles({ subject: [] })).records, [])
  })

  it('names the file and line that it cannot read', async () => {
    const lines = ['{"id":1,"type":2}\r', '', '{"id":2,']
    await assert.rejects(
      importFiles({ subject: lines }),
      /: 1 of 2 rows cannot be read \(not a row of subject\), where --max-bad-rows is 0\.1%: \S+\/subject\.jsonlines:3\.$/,
    )
    await assert.rejects(importFiles({ subject: ['{"type":1}'] }), /subject\.jsonlines:1\.$/)
  })
})
