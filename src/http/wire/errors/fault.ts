import { catalogue, type Coded } from '../../../i18n/catalogue.ts'
import type appRules from '../../../i18n/locales/en/api-app-rules.json'
import type faults from '../../../i18n/locales/en/faults.json'

/** A problem with a value. */
export type Fault = Coded<keyof typeof faults | keyof typeof appRules>

/**
 * An invalid field and the reason.
 *
 * @param field path of the field, with list items as `redirect_uris.0`
 * @param kind machine-readable code, by default `rule`
 */
export type RequestFault = Fault & { readonly field: string; readonly kind?: string }

const render = catalogue<Fault['code']>('api-app-rules', 'faults')

/** Returns the English message of a fault, without its subject. */
export const faultMessage = (fault: Fault): string => render('en', fault)

/** Converts a fault to an entry of `field_errors`. */
export const toFieldError = ({ field, kind = 'rule', ...fault }: RequestFault) => ({
  field,
  message: faultMessage(fault),
  code: kind,
})
