import type { MangaFields } from '../record-fields.ts'

type Origin = { country: string; language: string | undefined }

/** What tags say about where a work is from. `欧美` is half the world, so it says nothing. */
const ORIGIN_TAGS: [tags: string[], origin: Origin][] = [
  [['日本'], { country: 'JP', language: 'ja' }],
  [['中国', '国产', '中国大陆'], { country: 'CN', language: 'zh-Hans' }],
  [['台湾', '台灣'], { country: 'TW', language: 'zh-Hant' }],
  [['香港'], { country: 'HK', language: 'zh-Hant' }],
  [['韩国', '韓國'], { country: 'KR', language: 'ko' }],
  [['美国'], { country: 'US', language: 'en' }],
]

/** Countries as producers' infoboxes write them, ISO 3166 alpha-2. */
const COUNTRIES = new Map<string, string>([
  ...ORIGIN_TAGS.flatMap(([names, { country }]) => names.map((name): [string, string] => [name, country])),
  ['中国台湾', 'TW'],
  ['中国香港', 'HK'],
  ['法国', 'FR'],
  ['英国', 'GB'],
  ['德国', 'DE'],
  ['加拿大', 'CA'],
  ['俄罗斯', 'RU'],
])

export function countryCode(name: string): string | undefined {
  return COUNTRIES.get(name.trim())
}

/** The origin that the first telling tag names; the wiki's own tags before the readers'. */
export function originOfTags(tags: string[]): Origin | undefined {
  for (const tag of tags) {
    const origin = ORIGIN_TAGS.find(([names]) => names.includes(tag))
    if (origin) return origin[1]
  }
  return undefined
}

type Audience = NonNullable<MangaFields['audience']>

/** By tag. `女性向` is missing on purpose: it is the word for boys' love and otome, not for josei. */
const AUDIENCE_TAGS: [tags: string[], audience: Audience][] = [
  [['少年', '少年漫画', '少年向'], 'SHONEN'],
  [['青年', '青年漫画', '青年向'], 'SEINEN'],
  [['少女', '少女漫画', '少女向'], 'SHOJO'],
  [['女性', '女性漫画'], 'JOSEI'],
]

/** By magazine, where its readers are beyond dispute. */
const AUDIENCE_MAGAZINES: [magazines: RegExp, audience: Audience][] = [
  [/少年(ジャンプ|マガジン|サンデー|チャンピオン|ガンガン|エース|シリウス)/, 'SHONEN'],
  [
    /ヤング(マガジン|ジャンプ|アニマル|ガンガン|チャンピオン|エース|キング)|モーニング|アフタヌーン|ビッグコミック/,
    'SEINEN',
  ],
  [
    /^(りぼん|なかよし|ちゃお|花とゆめ|LaLa|Sho-Comi|少女コミック|別冊マーガレット|マーガレット|別冊フレンド)$/,
    'SHOJO',
  ],
  [/^(Kiss|Cookie|BE・LOVE|フィール・ヤング|FEEL YOUNG|office YOU|ココハナ|コーラス)$/, 'JOSEI'],
]

export function audienceOf(tags: string[], magazines: string[]): Audience | undefined {
  const byTag = tags.flatMap((tag) => AUDIENCE_TAGS.filter(([names]) => names.includes(tag)))
  const byMagazine = magazines.flatMap((name) => AUDIENCE_MAGAZINES.filter(([pattern]) => pattern.test(name)))
  return [...byTag, ...byMagazine][0]?.[1]
}

const WEBTOON_TAG = /^条漫$|webtoon|韩漫|韓漫/i
const WEBTOON_MAGAZINE = /lezhin|kakao|bomtoon|ridibooks|webtoon|comico|웹툰/i
const RIGHT_TO_LEFT = new Set(['JP', 'TW', 'HK'])

/** How a manga is read, as far as tags, magazine or origin hint at it; undefined when nothing does. */
export function readingModeOf(
  tags: string[],
  magazines: string[],
  country?: string,
): MangaFields['reading_mode'] | undefined {
  if (tags.some((tag) => WEBTOON_TAG.test(tag))) return 'WEBTOON'
  if (country !== 'JP' && magazines.some((name) => WEBTOON_MAGAZINE.test(name))) return 'WEBTOON'
  if (country === undefined) return undefined
  return RIGHT_TO_LEFT.has(country) ? 'PAGED_RTL' : 'PAGED_LTR'
}
