import { createRequire } from 'node:module'

/** Names longer than this are looked for by their beginning. */
const MAX_CHARACTERS = 60

type Library = typeof import('pinyin-pro')
let library: Library | undefined

/**
 * How a Chinese name is typed in Latin letters: its pinyin without tones, and the first letters of it, in one piece each;
 * `ü` as `v` and as `u`. Nothing for a name without Han characters, or with kana: that is Japanese.
 */
export function pinyinOf(name: string): string[] {
  const text = [...name.normalize('NFKC').toLowerCase()].slice(0, MAX_CHARACTERS).join('')
  if (!/\p{Script=Han}/u.test(text) || /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return []
  // Its dictionaries are large: they are loaded for the first Chinese name, and never by a service that only searches.
  library ??= createRequire(import.meta.url)('pinyin-pro') as Library // as: what that package exports
  const syllables = library
    .pinyin(text, { toneType: 'none', type: 'array', nonZh: 'spaced', v: true, surname: 'off' })
    .map((syllable) => syllable.replaceAll(/[^a-z0-9]/g, ''))
    .filter((syllable) => syllable !== '')
  const whole = syllables.join('')
  const initials = syllables
    .map((syllable) => (/^\d+$/.test(syllable) ? syllable : syllable.charAt(0)))
    .join('')
  return [...new Set([whole, whole.replaceAll(/(?<=[nl])v/g, 'u'), initials])].filter(
    (form) => form.length > 1,
  )
}
