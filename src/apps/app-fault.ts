import { catalogue, type Coded } from '../i18n/catalogue.ts'
import type en from '../i18n/locales/en/api-app-rules.json'
import type { FieldError } from '../http/wire/errors.ts'
import { ruleFault } from '../http/wire/refusals.ts'

/** Which rule of apps is broken (§4.2, decision 0012). */
export type AppRule = Coded<keyof typeof en>

/** @param field of the API, an item of a list as `redirect_uris.0` */
export type AppFault = AppRule & { readonly field: string }

const render = catalogue<keyof typeof en>('api-app-rules')

/** The sentence for programs, without its subject. */
export const appRuleMessage = (rule: AppRule): string => render('en', rule)

/** A fault as the API answers it. */
export const toFieldError = (fault: AppFault): FieldError => ruleFault(fault.field, appRuleMessage(fault))
