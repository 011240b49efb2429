import { memoize } from '../kernel/async/memoize.ts'

/** Languages of the pages, in the order in which they are offered. Each has a folder in `locales/`. */
const TABLE = {
  // English of no single country has the day before the month, and a clock of 24 hours: it cannot be read in two ways.
  en: { name: 'English', dates: 'en-GB' },
  ja: { name: '日本語' },
  'zh-Hans': { name: '简体中文' },
  'zh-Hant': { name: '繁體中文' },
  ko: { name: '한국어' },
}

export type Language = keyof typeof TABLE

/** `name` is the language's own name; `dates` is the locale for its dates, if it differs. */
export const LANGUAGE_FACTS: Readonly<Record<Language, { name: string; dates?: string }>> = TABLE

// as: the keys of that very table
export const LANGUAGES = Object.keys(TABLE) as readonly Language[]

export type LanguageWishes = {
  /** `ui_locales` of OpenID Connect: tags with spaces between them, the best first. */
  uiLocales?: string | undefined
  /** What was chosen on our pages before. */
  cookie?: string | undefined
  /** The header (RFC 9110 §12.5.4). */
  acceptLanguage?: string | undefined
}

/** The language for a page: the first wish of the first that names one we have, else English. */
export function chooseLanguage({
  uiLocales = '',
  cookie = '',
  acceptLanguage = '',
}: LanguageWishes): Language {
  // Most guests have wished for nothing, and what their browser accepts is known by heart.
  const wished =
    uiLocales === '' && cookie === '' ? undefined : firstOf(`${uiLocales} ${cookie}`.split(' '))
  return wished ?? acceptedLanguage(acceptLanguage) ?? 'en'
}

const firstOf = (tags: string[]) => tags.map(nearest).find((language) => language !== undefined)
const acceptedLanguage = memoize((header) => firstOf(byQuality(header)))

/** @returns the language of exactly this tag, as links and the cookie carry it */
export const findLanguage = (tag: unknown): Language | undefined =>
  LANGUAGES.find((language) => language === tag)

/**
 * Returns the language that matches a tag and its script, such as traditional Chinese for `zh-TW`, or else the same
 * language in another script.
 */
function nearest(tag: string): Language | undefined {
  const wished = maximized(tag)
  if (!wished) return undefined
  const related = LANGUAGES.filter((language) => maximized(language)?.language === wished.language)
  return related.find((language) => maximized(language)?.script === wished.script) ?? related[0]
}

/** @returns undefined if the text is not a language tag */
const maximized = memoize((tag) => {
  try {
    return new Intl.Locale(tag.trim().replaceAll('_', '-')).maximize()
  } catch {
    return undefined
  }
})

/** Tags of the header, the most wanted first; those with `q=0` are not wanted. */
function byQuality(acceptLanguage: string): string[] {
  return acceptLanguage
    .split(',', 32)
    .map((entry) => {
      const [tag = '', ...parameters] = entry.split(';')
      const given = parameters
        .map((parameter) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(parameter)?.[1])
        .find(Boolean)
      return { tag, quality: given === undefined ? 1 : Number(given) }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}
