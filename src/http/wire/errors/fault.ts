import { catalogue, type Coded } from '../../../i18n/catalogue.ts'
import type appRules from '../../../i18n/locales/en/api-app-rules.json'
import type faults from '../../../i18n/locales/en/faults.json'

/** Problem with a value. */
export type Fault = Coded<keyof typeof faults | keyof typeof appRules>

/**
 * An invalid field and the reason.
 *
 * @param field path of the field; items of lists are written like `redirect_uris.0`
 * @param kind code for programs; defaults to `rule`
 */
export type RequestFault = Fault & { readonly field: string; readonly kind?: string }

const render = catalogue<Fault['code']>('api-app-rules', 'faults')

/** The sentence for programs, without its subject. */
export const faultMessage = (fault: Fault): string => render('en', fault)

/** A fault as the API answers it. */
export const toFieldError = ({ field, kind = 'rule', ...fault }: RequestFault) => ({
  field,
  message: faultMessage(fault),
  code: kind,
})
