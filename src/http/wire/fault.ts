import { catalogue, type Coded } from '../../i18n/catalogue.ts'
import appRules from '../../i18n/locales/en/api-app-rules.json' with { type: 'json' }
import faults from '../../i18n/locales/en/faults.json' with { type: 'json' }

/** What is wrong with a value. */
export type Fault = Coded<keyof typeof faults | keyof typeof appRules>

/**
 * A field that is wrong, and why.
 *
 * @param field an item of a list as `redirect_uris.0`
 * @param kind the code that programs get; `rule` when missing
 */
export type RequestFault = Fault & { readonly field: string; readonly kind?: string }

const render = catalogue({ en: { ...appRules, ...faults } })

/** The sentence for programs, without its subject. */
export const faultMessage = (fault: Fault): string => render('en', fault)

/** A fault as the API answers it. */
export const toFieldError = ({ field, kind = 'rule', ...fault }: RequestFault) => ({
  field,
  message: faultMessage(fault),
  code: kind,
})
