import type { Language } from '../../i18n/languages.ts'
import { en, type Messages } from './en.ts'
import { ja } from './ja.ts'
import { zhHans } from './zh-hans.ts'

/** The words of the pages in every language. */
export const CATALOGUES: Record<Language, Messages> = { en, ja, 'zh-Hans': zhHans }
