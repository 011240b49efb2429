import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findInDump } from '#test/dumps.ts'
import { readTables, type DumpTables } from '#test/vndb-dump.ts'

const GALGAME: DumpTables = {
  vn: ['id|olang|description', 'v1|ja|An [i]English[/i] text.'],
  vn_titles: [
    'id|lang|official|title|latin',
    'v1|ja|t|題名|Daimei',
    'v1|en|f|Fans title|\\N',
    'v1|en|t|Title|\\N',
  ],
  releases: [
    'id|olang|released|minage|has_ero|patch|official|engine',
    'r1|ja|20100101|0|f|f|t|\\N',
    'r2|ja|20040101|0|f|f|t|\\N',
    'r3|en|20050101|0|f|f|f|\\N',
    'r4|ja|20050101|0|f|t|t|\\N',
  ],
  releases_vn: [
    'id|vid|rtype',
    'r1|v1|complete',
    'r2|v1|complete',
    'r3|v1|complete',
    'r4|v1|complete',
  ],
}

describe('additional fields of a VNDB galgame', () => {
  async function fieldsOf(tables: DumpTables) {
    return findInDump((await readTables({ ...GALGAME, ...tables })).records, 'galgame', 'v1').fields
  }

  it('include the official English title and the English description', async () => {
    const { en_title, en_intro, origin_intro } = await fieldsOf({})
    assert.deepEqual([en_title, en_intro, origin_intro], ['Title', 'An English text.', null])
  })

  it('include distinct links: those of the galgame first, then those of official releases, earliest first', async () => {
    const { external_links, steam_apps } = await fieldsOf({
      extlinks: [
        'id|site|value',
        '1|bgmtv|subject/13',
        '2|wikidata|5',
        '3|steam|324160',
        '4|website|https://game.example/a b',
        '5|digiket|1234',
        '6|itch|maker.itch.io/game',
        '7|steam|77',
        '8|steam|88',
      ],
      vn_extlinks: ['id|link', 'v1|1', 'v1|2'],
      releases_extlinks: [
        'id|link',
        'r1|3',
        'r1|5',
        'r1|6',
        'r2|4',
        'r2|3',
        'r1|4',
        'r3|7',
        'r4|8',
      ],
    })
    assert.deepEqual(external_links, [
      { label: 'Bangumi', name: 'bgmtv', url: 'https://bgm.tv/subject/13' },
      { label: 'Wikidata', name: 'wikidata', url: 'https://www.wikidata.org/wiki/Q5' },
      { label: 'Official website', name: 'website', url: 'https://game.example/a%20b' },
      { label: 'Steam', name: 'steam', url: 'https://store.steampowered.com/app/324160/' },
      {
        label: 'DiGiket',
        name: 'digiket',
        url: 'https://www.digiket.com/work/show/_data/ID=ITM0001234/',
      },
      { label: 'itch.io', name: 'itch', url: 'https://maker.itch.io/game' },
    ])
    assert.deepEqual(steam_apps, [{ app_id: 324160 }])
  })

  it('omit invalid links and links to unknown sites', async () => {
    const { external_links, steam_apps } = await fieldsOf({
      extlinks: [
        'id|site|value',
        '1|newsite|5',
        '2|constructor|5',
        '3|itch|evil.example/itch.io',
        '4|website|javascript:alert(1)',
        '5|website|no address',
        '6|dmm|user@www.dmm.com/a',
        '7|steam|0',
      ],
      vn_extlinks: ['id|link', 'v1|1', 'v1|2', 'v1|3', 'v1|4', 'v1|5', 'v1|6'],
    })
    assert.deepEqual([external_links, steam_apps], [[], []])
  })
})
