import type { Language } from '../../i18n/languages.ts'

export const formatNumber = (language: Language, count: number): string =>
  count.toLocaleString(language)
