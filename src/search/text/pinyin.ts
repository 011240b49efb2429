import { createRequire } from 'node:module'

/** Maximum number of characters converted. Longer names are found by their first characters. */
const MAX_CHARACTERS = 60
/** Maximum number of characters per name for which a second reading is tried. */
const MAX_POLYPHONES = 2

/** Characters with several readings that the library often gets wrong: `英雄传说`, `相簿`. Both readings are indexed. */
const POLYPHONES: ReadonlyMap<string, readonly [string, string]> = new Map(
  (
    '传 chuan zhuan,傳 chuan zhuan,长 chang zhang,長 chang zhang,重 zhong chong,乐 le yue,樂 le yue,行 xing hang,朝 chao zhao,' +
    '调 diao tiao,調 diao tiao,藏 cang zang,簿 bu bo,角 jiao jue,觉 jue jiao,覺 jue jiao,弹 dan tan,彈 dan tan,降 jiang xiang,血 xue xie'
  )
    .split(',')
    .map((line) => {
      const [char = '', usual = '', other = ''] = line.split(' ')
      return [char, [usual, other]]
    }),
)

let pinyinLibrary: typeof import('pinyin-pro') | undefined

/**
 * Returns the ways to type a Chinese name in Latin letters: as pinyin without tones, with `ü` as `v` or `u`, and as
 * initials. Empty for names without Han characters, and for names with kana, which are Japanese.
 */
export function pinyinOf(name: string): string[] {
  const text = [...name.normalize('NFKC').toLowerCase()].slice(0, MAX_CHARACTERS).join('')
  if (!/\p{Script=Han}/u.test(text) || /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text))
    return []
  // as: the exports of that package. Its large dictionaries are loaded for the first Chinese name. Processes that only
  // search never load them.
  pinyinLibrary ??= createRequire(import.meta.url)('pinyin-pro') as typeof import('pinyin-pro')
  const syllables = pinyinLibrary
    .pinyin(text, { toneType: 'none', type: 'all', nonZh: 'spaced', v: true })
    .map(({ origin, pinyin }) => ({
      origin,
      sound: (pinyin || origin).replaceAll(/[^a-z0-9]/g, ''),
    }))
  const usual = syllables.map(({ sound }) => sound)
  const others = syllables
    .flatMap(({ origin, sound }, index) => {
      const other = POLYPHONES.get(origin)?.find((known) => known !== sound)
      return other === undefined ? [] : [usual.with(index, other)]
    })
    .slice(0, MAX_POLYPHONES)
  return [...new Set([usual, ...others].flatMap(typedForms))].filter((form) => form.length > 1)
}

function typedForms(sounds: string[]): string[] {
  const whole = sounds.join('')
  const initials = sounds.map((sound) => sound.charAt(0)).join('')
  return [whole, whole.replaceAll(/(?<=[nl])v/g, 'u'), initials]
}
