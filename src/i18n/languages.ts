import { memoize } from '../kernel/async/memoize.ts'

/** Languages of the pages, in the order of the language menu. Each has a folder in `locales/`. */
const TABLE = {
  // en-GB formats dates unambiguously: day before month, with the month as a word, and a 24-hour clock.
  en: { name: 'English', dates: 'en-GB' },
  ja: { name: '日本語' },
  'zh-Hans': { name: '简体中文' },
  'zh-Hant': { name: '繁體中文' },
  ko: { name: '한국어' },
}

export type Language = keyof typeof TABLE

/** `name` is the language's own name; `dates` is the locale for its dates, if it differs. */
export const LANGUAGE_FACTS: Readonly<Record<Language, { name: string; dates?: string }>> = TABLE

// as: the keys of this table
export const LANGUAGES = Object.keys(TABLE) as readonly Language[]

export type LanguageWishes = {
  /** OpenID Connect's `ui_locales`: space-separated tags, best first. */
  uiLocales?: string | undefined
  /** Language previously chosen on this site. */
  cookie?: string | undefined
  /** `Accept-Language` header (RFC 9110 §12.5.4). */
  acceptLanguage?: string | undefined
  /** Language if none of these is supported; English by default. */
  fallback?: Language | undefined
}

/** Returns the language for a page: that of the first source with a supported language, else the fallback. */
export function chooseLanguage({
  uiLocales = '',
  cookie = '',
  acceptLanguage = '',
  fallback = 'en',
}: LanguageWishes): Language {
  // Most requests carry only Accept-Language, and its result is memoized.
  const wished =
    uiLocales === '' && cookie === '' ? undefined : firstOf(`${uiLocales} ${cookie}`.split(' '))
  return wished ?? acceptedLanguage(acceptLanguage) ?? fallback
}

const firstOf = (tags: string[]) => tags.map(nearest).find((language) => language !== undefined)
const acceptedLanguage = memoize((header) => firstOf(byQuality(header)))

/** Returns the language with exactly this tag, as links and the cookie carry it. */
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

/** @returns undefined if the string is not a language tag */
const maximized = memoize((tag) => {
  try {
    return new Intl.Locale(tag.trim().replaceAll('_', '-')).maximize()
  } catch {
    return undefined
  }
})

/** Returns the header's tags in order of descending quality, without those with `q=0`. */
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
