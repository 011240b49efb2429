const KANA = /[\p{scx=Hiragana}\p{scx=Katakana}]/u
const HANGUL = /\p{scx=Hangul}/u
const HAN = /\p{scx=Han}/u

/**
 * Guesses the language of a title from its script, so that browsers choose the right glyphs.
 *
 * @param isTranslated whether it is one of the catalog's translations, which are Chinese; otherwise
 * Han characters count as Japanese
 */
export function titleLanguage(title: string, isTranslated: boolean): string | undefined {
  if (KANA.test(title)) return 'ja'
  if (HANGUL.test(title)) return 'ko'
  if (HAN.test(title)) return isTranslated ? 'zh-Hans' : 'ja'
  return undefined
}
