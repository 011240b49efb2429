import type { Language } from '../../i18n/languages.ts'

export const formatNumber = (language: Language, amount: number): string =>
  amount.toLocaleString(language)
