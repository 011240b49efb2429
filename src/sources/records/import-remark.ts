import { catalogue, type Coded } from '../../i18n/catalogue.ts'
import type en from '../../i18n/locales/en/import-remarks.json'

/** What an importer tells its operator of a row: that it was left out, or read otherwise, and why. */
export type ImportRemark = Coded<keyof typeof en>

/** The sentence in a language; the command line is English. */
export const remarkText = catalogue<keyof typeof en>('import-remarks')
