const KANA = /[\p{scx=Hiragana}\p{scx=Katakana}]/u
const HANGUL = /\p{scx=Hangul}/u
const HAN = /\p{scx=Han}/u

/**
 * The language of a title, for its glyphs, as far as its script tells.
 *
 * @param isTranslated whether it is one of the catalog's translations, which are Chinese; else Han alone is taken for Japanese
 */
export function titleLanguage(title: string, isTranslated: boolean): string | undefined {
  if (KANA.test(title)) return 'ja'
  if (HANGUL.test(title)) return 'ko'
  if (HAN.test(title)) return isTranslated ? 'zh-Hans' : 'ja'
  return undefined
}
