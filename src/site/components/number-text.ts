import type { Language } from '../../i18n/languages.ts'

/** A number as a language writes it. */
export const numberText = (language: Language, amount: number): string =>
  amount.toLocaleString(language)
