/**
 * Different records that look the same. An earlier version joined the records in each of these cases (decision 0022).
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { onEmptyCatalog } from '#test/empty-catalog.ts'
import { sourceRecords } from '#test/source-records.ts'
import type { Database } from '../../db/database.ts'
import { InfoboxReader } from '../../sources/bangumi/infobox/infobox-reader.ts'
import { mentionsIn, externalIdsIn } from '../../sources/bangumi/infobox/external-ids.ts'
import type { CharacterFields } from '../../sources/records/record-fields.ts'
import type { GalgameLinks } from '../../sources/records/record-links.ts'
import type { SourceRecord } from '../../sources/records/record.ts'
import { mergeEntries } from '../merge/merge-entries.ts'
import { listMatches } from './list-matches.ts'
import { acceptMatches } from './review.ts'

const { galgame, person, character, sameAs, volume } = sourceRecords

/** A novel by one author, with one volume. */
const novel = (
  external_id: string,
  name: string,
  {
    date,
    author,
    links = [],
    same_as = [],
  }: { date?: string; author: string } & {
    links?: { source: 'mal'; external_id: string; label: string }[]
    same_as?: { source: 'mal'; external_id: string }[]
  },
): SourceRecord[] => [
  person(`a${external_id}`, { name: author }),
  {
    kind: 'light_novel',
    external_id,
    fields: { name, ...(date !== undefined && { publication_date: date }) },
    same_as,
    links: {
      people: [{ ref: `a${external_id}`, relation: 'author' }],
      volumes: [{ ref: `w${external_id}` }],
      mentions: links,
    },
  },
]
const firstVolume = (external_id: string, isbn: string): SourceRecord => ({
  ...volume(external_id, { volume_number: 1 }),
  same_as: [{ source: 'isbn', external_id: isbn }],
})

describe('an id in the list of links', () => {
  const idsOf = (link: string) => {
    const infobox = new InfoboxReader(`{{Infobox Game\r\n|链接={\r\n[${link}]\r\n}\r\n}}`)
    return {
      own: externalIdsIn(infobox, 'galgame').map(({ external_id }) => external_id),
      mentioned: mentionsIn(infobox, 'galgame').map(({ external_id }) => external_id),
    }
  }

  for (const label of ['', 'VNDB|', 'vndb页面|', 'VNDB.org|', 'Visual Novel Database|'])
    it(`identifies the entry under the label "${label.replace('|', '')}"`, () =>
      assert.deepEqual(idsOf(`${label}https://vndb.org/v5`), { own: ['v5'], mentioned: [] }))
  for (const label of ['本篇', '前作', '漫画版', 'VNDB 本篇', '官网'])
    it(`is only a mention under the label "${label}"`, () =>
      assert.deepEqual(idsOf(`${label}|https://vndb.org/v5`), { own: [], mentioned: ['v5'] }))
})

describeOnDatabase('records that look the same', (engine) => {
  let db: Database
  const { joined, run } = onEmptyCatalog(engine, (opened) => {
    db = opened.db
  })

  async function listed(): Promise<string[]> {
    const { items } = await listMatches(db, { state: 'open', page: 1, pageSize: 50 })
    return items
      .map(({ rule, one, other }) => `${rule}: ${one.external_id}, ${other.external_id}`)
      .toSorted()
  }
  /** Creates two linked games, each with these credits. */
  const inOneGame = (vndb: Partial<GalgameLinks>, bangumi: Partial<GalgameLinks>) =>
    [galgame('v1', {}, vndb, sameAs('bangumi', '1')), galgame('1', {}, bangumi)] as const

  it('are listed for review if the linked work has a different title that another work in the linking source also has', async () => {
    await run(
      'vndb',
      galgame('v5', { origin_title: '天色アイルノーツ', release_date: '2013-07-26' }),
    )
    await run(
      'bangumi',
      galgame('105', { origin_title: '天色＊アイルノーツ', release_date: '2013-07-26' }),
      galgame(
        '106',
        { origin_title: '天色＊アイルノーツ ふぁんでぃすく' },
        {},
        sameAs('vndb', 'v5'),
      ),
    )
    assert.deepEqual(await joined(), [])
    assert.deepEqual(await listed(), ['link: v5, 106', 'same-title: v5, 105'])
  })

  it('are listed for review if the linking work has a different title that another work in the linked source also has', async () => {
    await run(
      'vndb',
      galgame('v8', { origin_title: '水月' }),
      galgame('v9', { origin_title: '水月〜迷心〜' }),
    )
    await run('bangumi', galgame('108', { origin_title: '水月〜迷心〜' }, {}, sameAs('vndb', 'v8')))
    assert.deepEqual(await joined(), [])
    assert.deepEqual(await listed(), ['link: v8, 108', 'same-title: v9, 108'])
  })

  it('join by a link despite different titles if the work that shares the title is itself linked elsewhere', async () => {
    const title = { origin_title: '天色アイルノーツ' }
    await run(
      'vndb',
      galgame('v5', title),
      galgame('v6', { origin_title: '甲' }),
      galgame('v15', { origin_title: '水月' }),
      galgame('v16', { origin_title: '乙' }, {}, sameAs('bangumi', '115')),
    )
    await run(
      'bangumi',
      galgame('105', title, {}, sameAs('vndb', 'v6')),
      galgame('106', { origin_title: '丙' }, {}, sameAs('vndb', 'v5')),
      galgame('115', { origin_title: '水月' }),
      galgame('116', { origin_title: '丁' }, {}, sameAs('vndb', 'v15')),
    )
    const joinedNow = await joined()
    for (const pair of ['bangumi 106, vndb v5', 'bangumi 116, vndb v15'])
      assert.ok(joinedNow.includes(pair), pair)
  })

  const girl = { gender: 'female' } as const

  it('are reported if they are joined and contradict each other', async () => {
    const names = ['春', '夏', '秋', '冬', '朝', '昼']
    const girls = names.map((name, index) => character(`c${index}`, { name, ...girl }))
    await run('vndb', ...girls)
    const boys = names.map((name, index) =>
      character(`${index}`, { name, gender: index === 0 ? 'female' : 'male' }),
    )
    await run('bangumi', ...boys)
    const { rows } = await sql<{ external_id: string; entry_id: number }>`
      select external_id, entry_id from source_records`.execute(db)
    const idOf = (id: string) => rows.find(({ external_id }) => external_id === id)?.entry_id ?? 0
    for (const index of names.keys())
      await mergeEntries(db, { kind: 'character', from: idOf(`${index}`), into: idOf(`c${index}`) })
    const { remarks } = await run('vndb', ...girls)
    assert.deepEqual(remarks, [
      {
        code: 'match.contradiction',
        count: 5,
        example: [1, 2, 3, 4]
          .map((index) => `character bangumi:${index} ${idOf(`c${index}`)} (gender)`)
          .join(', '),
      },
    ])
    const unrelated = await run('ranobedb', ...novel('1', '灰と鐘', { author: '甲野' }))
    assert.deepEqual(unrelated.remarks, [], 'none of the records is of this source')
  })

  it('are not reported if an operator has accepted the pair', async () => {
    const woman = person('s1', { name: '片岡とも', ...girl })
    await run('vndb', woman)
    await run('bangumi', person('7', { name: '片岡とも', gender: 'male' }))
    const { items } = await listMatches(db, { state: 'open', page: 1, pageSize: 2 })
    await acceptMatches(db, [items[0]?.id ?? 0])
    const { remarks } = await run('vndb', woman)
    assert.deepEqual([await joined(), remarks], [['bangumi 7, vndb s1'], []])
  })

  it('join by a link if the titles differ and no other work has either title', async () => {
    await run('vndb', galgame('v7', { origin_title: 'Air' }, {}, sameAs('bangumi', '7')))
    await run('bangumi', galgame('7', { origin_title: '鳥の詩' }))
    assert.deepEqual(await joined(), ['bangumi 7, vndb v7'])
  })

  it('are listed for review if the link’s label states a different relation, such as a prequel', async () => {
    const prequel = { source: 'vndb' as const, external_id: 'v6', label: '前作' }
    await run('vndb', galgame('v6', { origin_title: 'グリザイアの果実' }))
    await run(
      'bangumi',
      galgame('107', { origin_title: 'グリザイアの迷宮' }, { mentions: [prequel] }),
    )
    await run(
      'ranobedb',
      ...novel('7', '冬の門', {
        date: '2014-01-01',
        author: '辛',
        same_as: [{ source: 'mal', external_id: '999' }],
      }),
    )
    await run(
      'bangumi',
      ...novel('1004', '白い山', {
        date: '2016-01-01',
        author: '己',
        links: [{ source: 'mal', external_id: '999', label: '漫画版' }],
      }),
    )
    assert.deepEqual(await joined(), [])
    assert.deepEqual(await listed(), ['mention: 7, 1004', 'mention: v6, 107'])
  })

  it('are listed for review if title, author and date of a novel contradict a common ISBN or id at another site', async () => {
    const mal = { same_as: [{ source: 'mal' as const, external_id: '5' }] }
    await run(
      'ranobedb',
      ...novel('1', '灰と鐘', { date: '2010-05-01', author: '甲野' }),
      firstVolume('w1', '9784000000017'),
      ...novel('4', '黒い川', { date: '2013-01-01', author: '戊', ...mal }),
    )
    await run(
      'bangumi',
      ...novel('1001', '灰と鐘 外伝 夜の頁', { date: '2014-05-01', author: '乙川' }),
      firstVolume('w1001', '9784000000017'),
      ...novel('1003', '赤い砂', { date: '2016-01-01', author: '己', ...mal }),
    )
    assert.deepEqual(await joined(), [])
    assert.deepEqual(await listed(), ['isbn: 1, 1001', 'shared-id: 4, 1003'])
  })

  it('join by an id at another site if the titles of novels differ, but either author or date agrees', async () => {
    const withMal = (external_id: string) => ({
      same_as: [{ source: 'mal' as const, external_id }],
    })
    await run(
      'ranobedb',
      ...novel('1', '灰と鐘', { date: '2010-05-01', author: '甲野', ...withMal('5') }),
      ...novel('2', '白い山', { date: '2012-01-01', author: '乙川', ...withMal('6') }),
    )
    await run(
      'bangumi',
      ...novel('1001', 'Ash and Bell', { date: '2014-05-01', author: '甲野', ...withMal('5') }),
      ...novel('1002', 'White Mountain', { date: '2012-01-01', author: '丙', ...withMal('6') }),
    )
    assert.deepEqual(await joined(), [
      'bangumi 1001, ranobedb 1',
      'bangumi 1002, ranobedb 2',
      'bangumi a1001, ranobedb a1',
    ])
  })

  it('are listed for review if the titles of novels are equal only after Chinese simplification', async () => {
    const facts = { date: '2010-05-01', author: '甲野' }
    await run('ranobedb', ...novel('1', '葉子の家', facts))
    await run('bangumi', ...novel('1001', '叶子の家', facts))
    assert.deepEqual(await joined(), [])
    assert.ok((await listed()).includes('title-author-date: 1, 1001'))
  })

  it('are listed for review if an undated novel shares one ISBN and the author but not the title', async () => {
    await run(
      'ranobedb',
      ...novel('1', '灰と鐘', { date: '2010-05-01', author: '甲野' }),
      firstVolume('w1', '9784000000017'),
    )
    await run(
      'bangumi',
      ...novel('1001', '灰と鐘 外伝 夜の頁', { author: '甲野' }),
      firstVolume('w1001', '9784000000017'),
    )
    assert.deepEqual(await joined(), [])
    assert.deepEqual(await listed(), ['isbn: 1, 1001', 'same-name: a1, a1001'])
  })

  it('are listed for review if novels with the same title share an ISBN but have different authors', async () => {
    const facts = { date: '2010-05-01' }
    await run(
      'ranobedb',
      ...novel('1', '灰と鐘', { ...facts, author: '甲野' }),
      firstVolume('w1', '9784000000017'),
    )
    await run(
      'bangumi',
      ...novel('1001', '灰と鐘', { ...facts, author: '乙川' }),
      firstVolume('w1001', '9784000000017'),
    )
    assert.deepEqual(await joined(), [])
    assert.deepEqual(await listed(), ['isbn: 1, 1001'])
  })

  it('are listed for review if a source has two novels with the same title and author', async () => {
    const first = { date: '2010-05-01', author: '甲野' }
    const undated = { author: '甲野' }
    const later = { date: '2020-05-01', author: '甲野' }
    const byAnother = { date: '2010-05-01', author: '乙川' }
    await run(
      'ranobedb',
      ...novel('1', '灰と鐘', first),
      ...novel('2', '白い山', first),
      ...novel('3', '白い山', undated),
      ...novel('4', '黒い川', first),
      ...novel('5', '赤い砂', first),
      ...novel('6', '銀の鍵', first),
      ...novel('7', '銀の鍵', byAnother),
      ...novel('8', '青い門', first),
      ...novel('9', '青い門', later),
    )
    await run(
      'bangumi',
      ...novel('1001', '灰と鐘', first),
      ...novel('1002', '灰と鐘', undated),
      ...novel('1003', '白い山', first),
      ...novel('1004', '黒い川', first),
      ...novel('1005', '黒い川', later),
      ...novel('1006', '赤い砂', first),
      ...novel('1007', '赤い砂', byAnother),
      ...novel('1008', '銀の鍵', first),
      ...novel('1009', '青い門', first),
    )
    const novels = (await joined()).filter((pair) => !pair.includes(' a'))
    assert.deepEqual(
      novels,
      ['1004, ranobedb 4', '1006, ranobedb 5', '1008, ranobedb 6', '1009, ranobedb 8'].map(
        (pair) => `bangumi ${pair}`,
      ),
    )
  })

  it('are listed for review if a source credits another person with the same name in another shared work', async () => {
    const credit = (ref: string) => ({ staff: [{ ref, role: 'SCENARIO' as const }] })
    await run(
      'vndb',
      galgame('v1', {}, credit('s1'), sameAs('bangumi', '1')),
      galgame('v2', {}, credit('s1'), sameAs('bangumi', '2')),
      galgame('v3', {}, credit('s3'), sameAs('bangumi', '3')),
      galgame('v4', {}, credit('s4'), sameAs('bangumi', '4')),
      ...['s1', 's3', 's4'].map((id) =>
        person(id, { name: id === 's1' ? '佐倉 紗織' : '鈴木 一郎太' }),
      ),
    )
    await run(
      'bangumi',
      galgame('1', {}, credit('7')),
      galgame('2', {}, credit('8')),
      galgame('3', {}, credit('9')),
      galgame('4', {}, credit('9')),
      ...['7', '8', '9'].map((id) => person(id, { name: id === '9' ? '鈴木一郎太' : '佐倉紗織' })),
    )
    assert.deepEqual(
      await listed(),
      ['s1, 7', 's1, 8', 's3, 9', 's4, 9'].map((pair) => `name-in-work: ${pair}`),
    )
  })

  it('are listed for review if people with a one-word name have different roles', async () => {
    const people = ['Yuki', 'あかり', '佐藤', '佐倉 紗織', '林檎子', 'ゆき さくら', 'Yuki・Sakura']
    const singers = people.map((_, index) => ({
      ref: `s${index}`,
      role: index === 1 ? ('PROGRAM' as const) : ('THEME_PERFORMANCE' as const),
    }))
    const actors = people.map((_, index) => ({ ref: `${index}` }))
    const [vndb, bangumi] = inOneGame(
      { staff: singers },
      { characters: [{ ref: 'heroine', role: 'MAIN', actors }] },
    )
    await run('vndb', vndb, ...people.map((name, index) => person(`s${index}`, { name })))
    await run(
      'bangumi',
      bangumi,
      character('heroine'),
      ...people.map((name, index) => person(`${index}`, { name })),
    )
    assert.deepEqual(
      await joined(),
      ['1, vndb v1', '3, vndb s3', '4, vndb s4', '5, vndb s5', '6, vndb s6'].map(
        (pair) => `bangumi ${pair}`,
      ),
    )
    assert.deepEqual(
      await listed(),
      ['s0, 0', 's1, 1', 's2, 2'].map((pair) => `name-in-work: ${pair}`),
    )
  })

  const castOf = (...refs: string[]) => ({
    characters: refs.map((ref) => ({ ref, role: 'MAIN' as const, actors: [] })),
  })
  async function runCast(vndb: Partial<CharacterFields>[], bangumi: Partial<CharacterFields>[]) {
    const ids = (prefix: string, cast: object[]) => cast.map((_, index) => `${prefix}${index}`)
    const [first, second] = inOneGame(castOf(...ids('c', vndb)), castOf(...ids('', bangumi)))
    await run('vndb', first, ...vndb.map((fields, index) => character(`c${index}`, fields)))
    await run('bangumi', second, ...bangumi.map((fields, index) => character(`${index}`, fields)))
  }

  it('are listed for review if characters differ in sex, birthday or blood type', async () => {
    const [a, b, c, d, e, f] = ['真琴', '薫', '直緒', '渚', '晶', '忍'].map((name) => ({ name }))
    await runCast(
      [
        { ...a, gender: 'female' },
        { ...b, birthday_month: 1, birthday_day: 1 },
        { ...c, blood_type: 'A' },
        { ...d, gender: 'female', blood_type: 'A', birthday_month: 12, birthday_day: 24 },
        { ...e, gender: 'other' },
        { ...f, birthday_month: 1, birthday_day: 1 },
      ],
      [
        { ...a, gender: 'male' },
        { ...b, birthday_month: 1, birthday_day: 31 },
        { ...c, blood_type: 'B' },
        { ...d, gender: 'female', birthday_month: 12, birthday_day: 24 },
        { ...e, gender: 'female' },
        { ...f, birthday_month: 12, birthday_day: 1 },
      ],
    )
    assert.deepEqual(await joined(), [
      'bangumi 1, vndb v1',
      'bangumi 3, vndb c3',
      'bangumi 4, vndb c4',
    ])
    assert.deepEqual(
      await listed(),
      ['c0, 0', 'c1, 1', 'c2, 2', 'c5, 5'].map((pair) => `name-in-work: ${pair}`),
    )
  })

  it('join if names differ only in old character forms, but are listed for review if equal only after Chinese simplification', async () => {
    const japanese = ['叶子', '里子', '斗子', '松子', '郁子', '発子', '澤子', '廣國']
    const others = ['葉子', '裏子', '鬥子', '鬆子', '鬱子', '髪子', '沢子', '広国']
    await runCast(
      japanese.map((name) => ({ name })),
      others.map((name) => ({ name })),
    )
    assert.deepEqual(await joined(), [
      'bangumi 1, vndb v1',
      'bangumi 6, vndb c6',
      'bangumi 7, vndb c7',
    ])
    assert.equal((await listed()).length, 6)
  })
})
