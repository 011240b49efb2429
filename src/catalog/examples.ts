/** Answers of the bundled sample, shortened, for the OpenAPI document; a test holds them against its schemas. */

const times = {
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
  revised_at: null,
}

const work = {
  rating: {
    score: 0,
    total: 0,
    count: { '1': 0, '2': 0, '3': 0, '4': 0, '5': 0, '6': 0, '7': 0, '8': 0, '9': 0, '10': 0 },
  },
  nsfw: false,
  ...times,
}

const cover = (url: string, width: number | null, height: number | null) => ({
  url,
  votes: 0,
  width,
  height,
  sexual: 0,
  violence: 0,
})

const ref = (id: number, name: string, trans_name: string | null = null) => ({
  id,
  name,
  trans_name,
  image: null,
})

export const GALGAME = {
  id: 1,
  origin_title: 'CLANNAD',
  trans_title: null,
  aliases: ['クラナド'],
  covers: [cover('https://lain.bgm.tv/pic/cover/l/c5/1c/13_tQxwM.jpg', null, null)],
  images: [],
  release_date: '2004-04-28T00:00:00.000Z',
  release_date_tbd: false,
  release_date_tbd_note: '',
  origin_intro: null,
  trans_intro: '《CLANNAD》为2004年key社所发行的文字冒险游戏（AVG）。',
  adv_type: '恋爱ADV',
  platforms: ['win', 'ps2', 'psp', 'swi'],
  homepage: 'http://key.visualarts.gr.jp/product/clannad/',
  engine: 'RealLive',
  origin_lang: 'ja',
  dev_status: 'RELEASED',
  prices: [{ version: 'PC', amount: 7500, currency: 'JPY', tax_included: false }],
  tags: [{ name: 'key', likes: 1508 }],
  ...work,
}

export const GALGAME_STAFF = [
  { role: 'SCENARIO', person: ref(1, '麻枝准') },
  { role: 'CHARACTER_DESIGN', person: ref(4, '樋上いたる') },
]

export const GALGAME_CHARACTERS = [
  { role: 'MAIN', actors: [], character: ref(1, '岡崎朋也', '冈崎朋也') },
  { role: 'MAIN', actors: [ref(49, '中原麻衣')], character: ref(2, '古河渚', '古河渚') },
]

export const GALGAME_PRODUCERS = [
  { role: 'DEVELOPER', producer: ref(9, 'Key') },
  { role: 'LOCALIZER', producer: ref(19, 'Sekai Project') },
]

export const GALGAME_DEVELOPERS = GALGAME_PRODUCERS.slice(0, 1)

export const GALGAME_RELATIONS = [
  { relation: 'SEQUEL', galgame: ref(2, '智代アフター ～It’s a Wonderful Life～') },
]

export const LIGHT_NOVEL = {
  id: 99,
  name: 'カゲロウデイズ',
  name_cn: null,
  other_names: ['Kagerou Daze'],
  covers: [cover('https://images.ranobedb.org/57hSQdE4xHVCJehw.jpg', 240, 339)],
  publication_date: '2012-05-24T00:00:00.000Z',
  novel_status: 'FINISHED',
  total_volumes: 4,
  summary: null,
  summary_cn: null,
  tags: [],
  ...work,
}

export const LIGHT_NOVEL_VOLUMES = [
  {
    id: 97,
    volume_type: 'MAIN',
    volume_number: 1,
    volume_label: null,
    name: 'カゲロウデイズ -in a daze-',
    name_cn: null,
    covers: [cover('https://images.ranobedb.org/57hSQdE4xHVCJehw.jpg', 240, 339)],
    publication_date: '2012-05-24T00:00:00.000Z',
    relation: 'main',
  },
]

export const LIGHT_NOVEL_PEOPLE = [
  { relation: 'author', note: null, person: ref(283, 'じん(自然の敵P)') },
  { relation: 'illustrator', note: null, person: ref(284, 'しづ') },
]

export const LIGHT_NOVEL_PRODUCERS = [
  { relation: 'publisher', note: null, producer: ref(35, 'KADOKAWA') },
  { relation: 'bunko', note: null, producer: ref(59, 'KCG文庫') },
]

export const LIGHT_NOVEL_CHARACTERS = [{ role: 'MAIN', character: ref(150, '涼宮ハルヒ', '凉宫春日') }]

export const MANGA = {
  id: 132,
  name: '鋼の錬金術師',
  name_cn: '钢之炼金术师',
  other_names: ['Fullmetal Alchemist', 'ハガレン'],
  covers: [],
  serial_status: 'FINISHED',
  reading_mode: 'PAGED_RTL',
  origin_country: 'JP',
  audience: 'SHONEN',
  latest_chapter_at: null,
  publication_date: '2001-07-12T00:00:00.000Z',
  publication_end_date: '2010-06-11T00:00:00.000Z',
  homepage: null,
  isbn: null,
  price_amount: null,
  price_currency: null,
  pages: null,
  editions: [],
  summary: null,
  summary_cn: null,
  tags: [],
  ...work,
}

export const MANGA_VOLUMES = [
  {
    id: 1,
    volume_number: 1,
    name: '鋼の錬金術師 (1)',
    name_cn: '钢之炼金术师 1',
    cover: null,
    isbn: null,
    publication_date: '2002-01-22T00:00:00.000Z',
    page_count: null,
  },
]

export const MANGA_PEOPLE = [{ role: 'AUTHOR', note: '', person: ref(330, '荒川弘') }]

export const MANGA_PRODUCERS = [
  { role: 'PUBLISHER', note: '', producer: ref(90, 'スクウェア・エニックス') },
  { role: 'MAGAZINE', note: '', producer: ref(91, '月刊少年ガンガン') },
]

export const MANGA_CHARACTERS = [
  { role: 'MAIN', character: ref(140, 'エドワード・エルリック', '爱德华·艾尔利克') },
]

export const PERSON = {
  id: 121,
  name: '水樹奈々',
  trans_name: '水树奈奈',
  aliases: ['Mizuki Nana'],
  intro: '',
  trans_intro: '日本女性声优兼歌手。',
  image: null,
  gender: 'female',
  labels: [{ key: '出身地区', value: '爱媛县 新居滨市' }],
  ...times,
}

export const PRODUCER = {
  id: 9,
  name: 'Key',
  type: 'COMPANY',
  aliases: ['キー'],
  intro: null,
  trans_intro: null,
  country: 'JP',
  established: null,
  website: 'http://key.visualarts.gr.jp/',
  logo: null,
  labels: [{ key: 'wikidata', value: 'https://www.wikidata.org/wiki/Q1143528' }],
  ...times,
}

export const CHARACTER = {
  id: 139,
  name: 'ルルーシュ・ランペルージ',
  trans_name: '鲁路修·兰佩路基',
  aliases: ['Lelouch Lamperouge', 'Zero'],
  intro: '',
  trans_intro: '鲁路修·兰佩洛基是日本动画《Code Geass 反叛的鲁路修》中的主角。',
  image: null,
  gender: 'male',
  blood_type: 'A',
  birthday_month: 12,
  birthday_day: 5,
  height: 178,
  weight: 54,
  bust: null,
  waist: null,
  hips: null,
  cup: null,
  age: null,
  labels: [],
  ...times,
}
