import { catalogue, type Coded } from '../i18n/catalogue.ts'
import en from '../i18n/locales/en/import-remarks.json' with { type: 'json' }
import ja from '../i18n/locales/ja/import-remarks.json' with { type: 'json' }
import zhHans from '../i18n/locales/zh-Hans/import-remarks.json' with { type: 'json' }

/** What an importer tells its operator of a row: that it was left out, or read otherwise, and why. */
export type ImportRemark = Coded<keyof typeof en>

/** The sentence in a language; the command line is English. */
export const remarkText = catalogue({ en, ja, 'zh-Hans': zhHans })
