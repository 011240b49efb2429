import type { Language } from '../../i18n/languages.ts'
import { titleLanguage } from './title-language.ts'

/** Language of the titles that the catalog stores as translations. */
const TRANSLATED: Language = 'zh-Hans'

export type ShownTitle = { text: string; lang: string | undefined }

/**
 * The titles of an entry, first the one for readers of a language: the translation, which is Chinese, is for those who read
 * that. One alone when both are the same.
 */
export function shownTitles(
  language: Language,
  { title, original_title: original }: { title: string; original_title: string },
): [main: ShownTitle, other?: ShownTitle] {
  const translated = { text: title, lang: titleLanguage(title, title !== original) }
  if (title === original) return [translated]
  const asWritten = { text: original, lang: titleLanguage(original, false) }
  return language === TRANSLATED ? [translated, asWritten] : [asWritten, translated]
}
