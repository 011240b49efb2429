import type { NameOrder } from '../../browse/name-orders.ts'
import type { Language } from '../../i18n/languages.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { titleLanguage } from './title-language.ts'

export type ShownTitle = { text: string; lang: string | undefined }

/** Titles of an entry. `title` is the Chinese one, or the original one if there is no other. */
export type TitledEntry = { title: string; original_title: string } & Partial<LocalizedTitles>
type LocalizedTitles = Record<'en_title' | 'romaji_title' | 'ko_title', string | null>

type TitleName = 'title' | keyof LocalizedTitles

/** Titles that count as translations on pages in a language, the preferred one first. */
const TRANSLATIONS: Record<Language, readonly TitleName[]> = {
  en: ['en_title', 'romaji_title'],
  ja: [],
  ko: ['ko_title', 'en_title', 'romaji_title'],
  'zh-Hans': ['title'],
  'zh-Hant': ['title'],
}

/** Order by name that follows the translations above. */
const NAME_ORDER_OF: Record<Language, NameOrder | undefined> = {
  en: 'en',
  ja: 'original',
  ko: 'ko',
  'zh-Hans': undefined,
  'zh-Hant': undefined,
}

/** Returns the order by name of the titles that the viewer sees. */
export const nameOrderOf = ({
  language,
  titlePreference,
}: Pick<PageContext, 'language' | 'titlePreference'>): NameOrder | undefined =>
  titlePreference === 'translated' ? NAME_ORDER_OF[language] : titlePreference

const TITLE_LANGUAGES: Record<TitleName, (text: string, original: string) => string | undefined> = {
  title: (text, original) => titleLanguage(text, text !== original),
  en_title: () => 'en',
  romaji_title: (_text, original) => `${titleLanguage(original, false) ?? 'ja'}-Latn`,
  ko_title: () => 'ko',
}

/**
 * Returns the titles of an entry in the viewer's choice: the main one, and the original one if it differs. Without a
 * title of the viewer's choice, the original one is the main one.
 */
export function shownTitles(
  { language, titlePreference }: Pick<PageContext, 'language' | 'titlePreference'>,
  titles: TitledEntry,
): [main: ShownTitle, other?: ShownTitle] {
  const { original_title: text } = titles
  const original = { text, lang: titleLanguage(text, false) }
  const translations = TRANSLATIONS[language]
  const wanted: Record<typeof titlePreference, readonly TitleName[]> = {
    translated: translations,
    romaji: ['romaji_title', ...translations],
    original: [],
  }
  for (const name of wanted[titlePreference]) {
    const chosen = titles[name]
    if (chosen === text) return [original]
    if (chosen) return [{ text: chosen, lang: TITLE_LANGUAGES[name](chosen, text) }, original]
  }
  return [original]
}

/** Reference to an entry, or its titles. */
type NamedEntry = {
  name: string
  trans_name?: string | null | undefined
} & Partial<LocalizedTitles>

/** Returns the titles or names of a referenced entry, as `shownTitles` does. */
export const shownNames = (
  context: Pick<PageContext, 'language' | 'titlePreference'>,
  entry: NamedEntry,
) =>
  shownTitles(context, {
    ...entry,
    title: entry.trans_name || entry.name,
    original_title: entry.name,
  })

/** Names of the developer in a summary or a search hit. */
type DevelopedEntry = {
  developer: string | null
  developer_trans_name: string | null
  developer_romaji_name: string | null
}

/** Returns the name of a work's developer in the viewer's choice. */
export const shownDeveloper = (
  context: Pick<PageContext, 'language' | 'titlePreference'>,
  {
    developer: name,
    developer_trans_name: trans_name,
    developer_romaji_name: romaji_title,
  }: DevelopedEntry,
): string | null => name && shownNames(context, { name, trans_name, romaji_title })[0].text

/** Returns the distinct names that are not among the shown titles. */
export const otherTitles = (
  shown: readonly ShownTitle[],
  names: readonly (string | null | undefined)[],
): string[] => {
  const others = new Set(names.flatMap((name) => name || []))
  for (const { text } of shown) others.delete(text)
  return [...others]
}
