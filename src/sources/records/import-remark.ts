import { catalogue, type Coded } from '../../i18n/catalogue.ts'
import type en from '../../i18n/locales/en/import-remarks.json'

/** A remark about a row that was skipped or read differently. */
export type ImportRemark = Coded<keyof typeof en>

/** Renders a remark as text. The command line uses English. */
export const remarkText = catalogue<keyof typeof en>('import-remarks')
