import type { Language } from '../../i18n/languages.ts'
import { titleLanguage } from './title-language.ts'

/** Language of the titles that the catalog stores as translations. */
const TRANSLATION_LANGUAGE: Language = 'zh-Hans'

export type ShownTitle = { text: string; lang: string | undefined }

/**
 * Returns the titles of an entry, starting with the one for a language. The translation comes first
 * for Chinese, otherwise the original. Equal titles are returned once.
 */
export function shownTitles(
  language: Language,
  { title, original_title: original }: { title: string; original_title: string },
): [main: ShownTitle, other?: ShownTitle] {
  const translated = { text: title, lang: titleLanguage(title, title !== original) }
  if (title === original) return [translated]
  const asWritten = { text: original, lang: titleLanguage(original, false) }
  return language === TRANSLATION_LANGUAGE ? [translated, asWritten] : [asWritten, translated]
}
