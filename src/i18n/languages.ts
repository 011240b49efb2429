import { memoize } from '../kernel/memoize.ts'

export const LANGUAGES = ['en', 'ja', 'zh-Hans'] as const

export type Language = (typeof LANGUAGES)[number]

/** What each language calls itself. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', ja: '日本語', 'zh-Hans': '简体中文' }

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
  const wished = uiLocales === '' && cookie === '' ? undefined : firstOf(`${uiLocales} ${cookie}`.split(' '))
  return wished ?? acceptedLanguage(acceptLanguage) ?? 'en'
}

const firstOf = (tags: string[]) => tags.map(nearest).find((language) => language !== undefined)
const acceptedLanguage = memoize((header) => firstOf(byQuality(header)))

/** @returns the language of exactly this tag, as links and the cookie carry it */
export const findLanguage = (tag: unknown): Language | undefined =>
  LANGUAGES.find((language) => language === tag)

/** For every kind of Chinese the simplified one: it is nearer than English. */
function nearest(tag: string): Language | undefined {
  const [primary] = tag.trim().toLowerCase().split(/[-_]/, 1)
  return LANGUAGES.find((language) => language.split('-', 1)[0] === primary)
}

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
