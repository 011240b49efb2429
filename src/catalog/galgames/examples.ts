import { exampleRef as ref, NAGISA, WORK_EXAMPLE } from '../example-parts.ts'
import { PRODUCER_EXAMPLE } from '../producers.ts'

/** Answers of the bundled sample, shortened; a test holds them against it. */

export const GALGAME_EXAMPLE = {
  id: 1,
  origin_title: 'CLANNAD',
  trans_title: null,
  aliases: ['クラナド'],
  covers: [
    {
      url: 'https://lain.bgm.tv/pic/cover/l/c5/1c/13_tQxwM.jpg',
      votes: 0,
      width: null,
      height: null,
      sexual: 0,
      violence: 0,
      kind: null,
      language: null,
    },
  ],
  images: [],
  release_date: '2004-04-28T00:00:00.000Z',
  release_date_tbd: false,
  release_date_tbd_note: '',
  origin_intro:
    '季節は春、楽しく等身大で過ごす学園での日常から物語は始まり、やがてストーリーはヒロインたちとの恋愛に発展していきます。',
  trans_intro:
    '《CLANNAD》为2004年key社所发行的文字冒险游戏（AVG），和key社以往游戏不同的是，这款是以全年龄版PC的形式发行。',
  adv_type: '恋爱ADV',
  platforms: ['win', 'ps2', 'psp', 'swi'],
  homepage: 'http://key.visualarts.gr.jp/product/clannad/',
  engine: 'RealLive',
  origin_lang: 'ja',
  dev_status: 'RELEASED',
  prices: [{ version: 'PC', amount: 7500, currency: 'JPY', tax_included: false }],
  en_title: 'CLANNAD',
  en_intro:
    'Okazaki Tomoya dislikes the town he lives in, and school with it, until he meets a girl at the foot of the slope that leads there.',
  developer: 'Key',
  external_links: [
    { label: 'Bangumi', name: 'bgmtv', url: 'https://bgm.tv/subject/13' },
    { label: 'Steam', name: 'steam', url: 'https://store.steampowered.com/app/324160/' },
  ],
  steam_apps: [{ app_id: 324160 }],
  vndb_id: 4,
  bangumi_game_id: 13,
  bangumi_id: 13,
  external_source: { vndb: 'v4', bangumi: '13' },
  tags: [{ name: 'key', likes: 1508 }],
  ...WORK_EXAMPLE,
}

export const GALGAME_STAFF_EXAMPLE = [
  { role: 'SCENARIO', person: ref(1, '麻枝准') },
  { role: 'CHARACTER_DESIGN', person: ref(4, '樋上いたる') },
]

export const GALGAME_CHARACTERS_EXAMPLE = [
  { role: 'MAIN', actors: [], character: ref(1, '岡崎朋也', '冈崎朋也') },
  { role: 'MAIN', actors: [ref(49, '中原麻衣')], character: NAGISA },
]

export const GALGAME_PRODUCERS_EXAMPLE = [
  { role: 'DEVELOPER', note: '', producer: ref(9, 'Key') },
  { role: 'LOCALIZER', note: '', producer: ref(19, 'Sekai Project') },
]

export const GALGAME_DEVELOPERS_EXAMPLE = [{ ...PRODUCER_EXAMPLE, trans_name: null, note: '' }]

export const GALGAME_RELATIONS_EXAMPLE = [
  {
    relation: 'SEQUEL',
    detail: 'SEQUEL',
    galgame: {
      id: 2,
      origin_title: '智代アフター ～It’s a Wonderful Life～',
      trans_title: null,
      nsfw: true,
      release_date: '2005-11-25T00:00:00.000Z',
      covers: [],
      name: '智代アフター ～It’s a Wonderful Life～',
      trans_name: null,
      image: null,
    },
  },
]
