import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findImported, importFiles, importFolder, type Import } from '#test/bangumi-imports.ts'
import { MANGA_ROW } from '#test/bangumi-rows.ts'

// Real rows from the wiki that an earlier version misread.

const sample = (name: string) =>
  importFolder(fileURLToPath(new URL(`../../../sample/${name}`, import.meta.url)))

const originOf = (dump: Import, id: number) => {
  const { origin_country, reading_mode } = findImported(dump, 'manga', id).fields
  return [origin_country, reading_mode]
}

describe('the country of a manga', async () => {
  const rows = await sample('bangumi-rows')
  const archive = await sample('bangumi-archive')

  it('comes from the publisher rather than from one user’s tag: 四十四個夢', () => {
    assert.deepEqual(originOf(rows, 337063), ['TW', 'PAGED_RTL'])
  })

  it('comes from the publisher if there is no other evidence: 仙劍奇俠傳三', () => {
    assert.deepEqual(originOf(rows, 498989), ['TW', 'PAGED_RTL'])
  })

  it('comes from the magazine, even if a foreign publisher is also listed: ×××HOLiC', () => {
    assert.deepEqual(originOf(archive, 495), ['JP', 'PAGED_RTL'])
    assert.deepEqual(findImported(archive, 'manga', 495).links?.producers?.slice(0, 2), [
      { ref: 'name:講談社', role: 'PUBLISHER', note: 'jp' },
      { ref: 'name:東立', role: 'PUBLISHER', note: 'tw' },
    ])
  })

  const infobox = (lines: string) => `{{Infobox animanga/Manga\n${lines}\n}}`
  const manga = (id: number, lines: string, row: object = {}) => ({
    ...MANGA_ROW,
    id,
    name: '漢字',
    infobox: infobox(lines),
    ...row,
  })

  it('comes from the first evidence available, and is missing without evidence', async () => {
    const dump = await importFiles({
      subject: [
        manga(1, '|出版社={\n[jp|講談社]\n[tw|東立]\n}'),
        manga(2, '|出版社= 東立', { tags: [{ name: '日本', count: 3 }] }),
        manga(3, '|出版社= 東立', { meta_tags: ['韩国'] }),
        manga(4, '|出版社= 玉皇朝', { tags: [{ name: '日本', count: 2 }] }),
        manga(5, '|出版社= 某社'),
        manga(6, '|出版社={\n[us|Viz]\n}'),
        manga(7, '|连载杂志= 週刊少年ジャンプ\n|出版社= 青文'),
      ],
    })
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 7].map((id) => originOf(dump, id)[0]),
      ['JP', 'JP', 'KR', 'HK', undefined, 'US', 'JP'],
    )
  })
})

describe('the publication status of a serial without an end date', async () => {
  const rows = await sample('bangumi-rows')

  it('is finished if the serial is old and states its number of volumes: 仙劍奇俠傳三, 四十四個夢', () => {
    for (const id of [498989, 337063])
      assert.equal(findImported(rows, 'manga', id).fields.serial_status, 'FINISHED')
  })

  it('is finished if the serial is a single old book, even if called a series: ハイスクール・フリート', () => {
    assert.equal(findImported(rows, 'light_novel', 205311).fields.novel_status, 'FINISHED')
  })

  it('is missing if the only evidence is the word “series” in the title: 涼宮ハルヒシリーズ', async () => {
    const known = await sample('bangumi-known-works')
    assert.equal(findImported(known, 'light_novel', 900000201).fields.novel_status, undefined)
  })

  it('is running if the serial started recently, is tagged as running, or has an open-ended number of volumes', async () => {
    const dump = await importFiles({
      subject: [
        { ...MANGA_ROW, name: '漢', id: 1, series: true, date: '2024-02-07' },
        {
          ...MANGA_ROW,
          name: '漢',
          id: 2,
          series: true,
          date: '1997-07-22',
          tags: [{ name: '连载中', count: 2 }],
        },
        {
          ...MANGA_ROW,
          name: '漢',
          id: 3,
          series: true,
          infobox: '{{Infobox animanga/Manga\n|册数= 既刊100巻\n|开始= 1997\n}}',
        },
      ],
    })
    for (const id of [1, 2, 3])
      assert.equal(findImported(dump, 'manga', id).fields.serial_status, 'SERIALIZING')
  })
})

describe('credits of a game: マブラヴ オルタネイティヴ', async () => {
  const { links } = findImported(await sample('bangumi-archive'), 'galgame', 4828)

  const staffIn = (role: string | null) =>
    links?.staff
      ?.filter((item) => item.role === role)
      .map(({ credited_as, ref }) => credited_as ?? ref)

  it('are read from infobox keys that combine several roles, once per role', () => {
    assert.deepEqual(staffIn('ORIGINAL_WORK'), ['吉宗鋼紀(吉田博彦)'])
    assert.deepEqual(staffIn('PLANNING'), ['吉宗鋼紀(吉田博彦)'])
  })

  it('are read from infobox keys for which the wiki has no position number', () => {
    assert.deepEqual(staffIn('CG_SUPERVISOR'), ['バカ王子ペルシャ(杉原正教)'])
    assert.deepEqual(staffIn(null), [
      '號滋樹(五反田成高)',
      '鬼畜人タムー(タシロハヤト)',
      '吉宗鋼紀(吉田博彦)',
      'name:宮元橡雨',
    ])
  })

  it('keep a second name in brackets, unless it is a work, song or group', () => {
    assert.deepEqual(staffIn('THEME_LYRICS'), ['name:影山ヒロノブ', 'name:江幡育子'])
    assert.deepEqual(staffIn('THEME_PERFORMANCE'), ['name:JAM Project', 'name:栗林みな実'])
    assert.deepEqual(staffIn('PROGRAM'), ['號滋樹(五反田成高)', 'name:熊也恭生'])
  })

  it('distinguish the publishers of different versions', () => {
    assert.deepEqual(
      links?.producers?.map(({ ref, role, note }) => [role, ref, note]),
      [
        ['DEVELOPER', 'name:âge', undefined],
        ['PUBLISHER', 'name:âge', 'PC'],
        ['PUBLISHER', 'name:5pb.', 'Xbox 360、PS3、PSV'],
        ['PUBLISHER', 'name:aNCHOR Inc.', 'Steam'],
      ],
    )
  })
})
