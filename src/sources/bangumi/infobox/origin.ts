import type { MangaFields, Tag } from '../../records/record-fields.ts'
import { languageOfScript } from '../text.ts'

type Origin = { country: string; language: string | undefined }

/** Origin of a work according to its tags. `欧美` covers too many countries. */
const ORIGIN_TAGS: [tags: string[], origin: Origin][] = [
  [['日本'], { country: 'JP', language: 'ja' }],
  [['中国', '国产', '中国大陆'], { country: 'CN', language: 'zh-Hans' }],
  [['台湾', '台灣'], { country: 'TW', language: 'zh-Hant' }],
  [['香港'], { country: 'HK', language: 'zh-Hant' }],
  [['韩国', '韓國'], { country: 'KR', language: 'ko' }],
  [['美国'], { country: 'US', language: 'en' }],
]

/** ISO 3166 alpha-2 codes, keyed by the names of countries in the infoboxes of producers. */
const COUNTRIES = new Map<string, string>([
  ...ORIGIN_TAGS.flatMap(([names, { country }]) =>
    names.map((name): [string, string] => [name, country]),
  ),
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

/** Returns the origin that the first known tag indicates. Pass editors' tags before users' tags. */
export function originOfTags(tags: string[]): Origin | undefined {
  for (const tag of tags) {
    const origin = ORIGIN_TAGS.find(([names]) => names.includes(tag))
    if (origin) return origin[1]
  }
  return undefined
}

/** Minimum number of users who must use a tag for it to outweigh what is printed on the book. */
const MIN_AGREEING_USERS = 3

/**
 * Countries of publishers. Japanese publishers are checked first, because a foreign licensee may be listed next to the
 * original publisher.
 */
const PUBLISHERS: [publishers: RegExp, country: string][] = [
  [
    /[\p{Script=Hiragana}\p{Script=Katakana}]|講談社|讲谈社|集英社|小学館|小学馆|角川書店|^角川|KADOKAWA|白泉社|秋田書店|双葉社|芳文社|竹書房|少年画報社|徳間書店|幻冬舎|一迅社|祥伝社|新潮社|早川書房|新書館|宙出版|朝日ソノラマ|SQUARE ENIX/iu,
    'JP',
  ],
  [
    /台灣|台湾|臺灣|東立|东立|青文|尖端|長鴻|长鸿|大然|東販|东贩|時報文化|时报文化|蓋亞|盖亚|威向|四季國際/u,
    'TW',
  ],
  [/香港|玉皇朝|文化傳信|文化传信|天下出版|天下媒體|正文社|鴻圖|友禾/u, 'HK'],
]

const LABELS: [labels: string[], country: string][] = [
  [['jp', '日', '日本', '日版'], 'JP'],
  [['tw', '台', '台湾', '台灣', '台版'], 'TW'],
  [['hk', '港', '香港', '港版'], 'HK'],
  [['kr', '韩', '韩国', '韩版'], 'KR'],
  [['cn', '中', '中国', '大陆', '简中'], 'CN'],
  [['us', '美', '美国'], 'US'],
]

/** A publisher in an infobox. `label` is the text before the name, such as `tw`. */
type PublisherHint = { name: string; label: string }

export type MangaHints = {
  metaTags: string[]
  tags: Tag[]
  title: string
  summary: string
  magazines: string[]
  publishers: PublisherHint[]
}

/**
 * Returns the country of a manga from the first evidence available: editors' tags, tags by several users, script of
 * the title, magazine, publishers, tags by one or two users, script of the summary.
 */
export function countryOf({
  metaTags,
  tags,
  title,
  summary,
  magazines,
  publishers,
}: MangaHints): string | undefined {
  const agreed = tags.filter(({ likes }) => likes >= MIN_AGREEING_USERS)
  return (
    originOfTags(metaTags)?.country ??
    originOfTags(agreed.map(({ name }) => name))?.country ??
    countryOfScript(title) ??
    (magazines.some(isJapaneseMagazine) ? 'JP' : undefined) ??
    countryOfPublishers(publishers) ??
    originOfTags(tags.map(({ name }) => name))?.country ??
    countryOfScript(summary)
  )
}

function countryOfScript(text: string): string | undefined {
  const language = languageOfScript(text)
  return language && { ja: 'JP', ko: 'KR' }[language]
}

const isJapaneseMagazine = (name: string) =>
  !WEBTOON_MAGAZINE.test(name) &&
  (languageOfScript(name) === 'ja' || AUDIENCE_MAGAZINES.some(([pattern]) => pattern.test(name)))

function countryOfPublishers(publishers: PublisherHint[]): string | undefined {
  const countries = new Set(
    publishers.map(
      ({ name, label }) =>
        LABELS.find(([labels]) => labels.includes(label.toLowerCase()))?.[1] ??
        PUBLISHERS.find(([pattern]) => pattern.test(name))?.[1],
    ),
  )
  return countries.has('JP') ? 'JP' : [...countries].find((country) => country !== undefined)
}

type Audience = NonNullable<MangaFields['audience']>

/** Audience according to the tags. Omits `女性向`, which means boys' love and otome, not josei. */
const AUDIENCE_TAGS: [tags: string[], audience: Audience][] = [
  [['少年', '少年漫画', '少年向'], 'SHONEN'],
  [['青年', '青年漫画', '青年向'], 'SEINEN'],
  [['少女', '少女漫画', '少女向'], 'SHOJO'],
  [['女性', '女性漫画'], 'JOSEI'],
]

/** Audience according to the magazine. Contains only magazines with a clear audience. */
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
  const byMagazine = magazines.flatMap((name) =>
    AUDIENCE_MAGAZINES.filter(([pattern]) => pattern.test(name)),
  )
  return [...byTag, ...byMagazine][0]?.[1]
}

const WEBTOON_TAG = /^条漫$|webtoon|韩漫|韓漫/i
const WEBTOON_MAGAZINE = /lezhin|kakao|bomtoon|ridibooks|webtoon|comico|웹툰/i
const RIGHT_TO_LEFT = new Set(['JP', 'TW', 'HK'])

/** Returns the reading direction that tags, magazine or country indicate, if any. */
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
