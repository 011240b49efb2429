import type { AppRule } from '../../apps/app-fault.ts'
import { catalogue } from '../../i18n/catalogue.ts'

/** What a developer reads when a rule of apps is broken. Programs get other words: see `apps/app-fault.ts`. */
export const appRuleText = catalogue<AppRule['code']>('app-rules')
