import type { Fault } from '../http/wire/errors/fault.ts'
import { catalogue } from '../i18n/catalogue.ts'
import type { Language } from '../i18n/languages.ts'
import rulesEn from '../i18n/locales/en/app-rules.json' with { type: 'json' }
import en from '../i18n/locales/en/faults.json' with { type: 'json' }

/**
 * Returns the message that users see for an invalid value. The API words the rules of apps
 * differently (`http/wire/errors/fault.ts`).
 */
export const valueFaultText = catalogue<keyof typeof rulesEn | keyof typeof en>(
  'app-rules',
  'faults',
)

export const isFaultCode = (code: string): code is Fault['code'] =>
  Object.hasOwn(rulesEn, code) || Object.hasOwn(en, code)

/** Returns the same message, worded to follow the name of the field. */
export function namedFaultText(
  language: Language,
  { field, ...fault }: Fault & { readonly field?: string },
): string {
  const text = valueFaultText(language, fault)
  return field === undefined
    ? text
    : valueFaultText(language, { code: 'field', params: { field, fault: text } })
}
