import { catalogue, type Coded } from '../../../i18n/catalogue.ts'
import { faultMessage, type Fault } from '../../../http/wire/errors/fault.ts'
import type en from '../../../i18n/locales/en/api-list-import.json'

/** A fault in a field, or in the whole row if `field` is undefined. */
type NamedFault = Fault & { readonly field?: string }

/** Reason why a row of an imported list, or a part of it, was not imported. */
export type ImportReason =
  | Coded<Exclude<keyof typeof en, 'invalid'>>
  | { readonly code: 'invalid'; readonly fault: NamedFault }

const render = catalogue<keyof typeof en>('api-list-import')

/** Returns the English message for API clients. */
export const importReasonMessage = (reason: ImportReason): string =>
  render(
    'en',
    withDetail(reason, (fault) =>
      fault.field === undefined ? faultMessage(fault) : `${fault.field}: ${faultMessage(fault)}`,
    ),
  )

/** Converts the fault in an invalid row into a reason. */
export const withDetail = (
  reason: ImportReason,
  textOf: (fault: NamedFault) => string,
): Coded<keyof typeof en> =>
  reason.code === 'invalid' ? { code: 'invalid', params: { detail: textOf(reason.fault) } } : reason
