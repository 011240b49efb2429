import { catalogue } from '../../i18n/catalogue.ts'
import en from '../../i18n/locales/en/app-rules.json' with { type: 'json' }
import ja from '../../i18n/locales/ja/app-rules.json' with { type: 'json' }
import zhHans from '../../i18n/locales/zh-Hans/app-rules.json' with { type: 'json' }

/** What a developer reads when a rule of apps is broken. Programs get other words: see `apps/app-fault.ts`. */
export const appRuleText = catalogue({ en, ja, 'zh-Hans': zhHans })
