import type { Language } from '../../src/i18n/languages.ts'

/** Scripts that a language mixes, keyed by the code of the mixture. */
const MIXTURES: Readonly<Record<string, string[]>> = {
  Hans: ['Hani'],
  Hant: ['Hani'],
  Jpan: ['Hani', 'Hira', 'Kana'],
  Kore: ['Hang'],
}

/** Returns a pattern that matches any letter of the script a language is written in. */
export function scriptPattern(language: Language): RegExp {
  const { script = 'Latn' } = new Intl.Locale(language).maximize()
  const parts = (MIXTURES[script] ?? [script]).map((code) => `\\p{scx=${code}}`)
  return new RegExp(`[${parts.join('')}]`, 'u')
}

/** True if a language is written in the script of English, so that its words cannot be told apart by their letters. */
export const usesLatinScript = (language: Language): boolean => scriptPattern(language).test('a')
