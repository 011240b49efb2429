import type { CodedReason, RefusedRequest } from '../apps/usage/refused-request-buffer.ts'
import { catalogue } from '../i18n/catalogue.ts'
import type { Language } from '../i18n/languages.ts'
import providerEn from '../i18n/locales/en/provider-refusals.json' with { type: 'json' }
import en from '../i18n/locales/en/refusals.json' with { type: 'json' }
import { isFaultCode, namedFaultText } from '../ui/value-fault-text.ts'

/** Text of one requirement that a request violated. It is in English if only a library describes it. */
export type Detail = { text: string; language: Language }

type RefusalCode = keyof typeof en | keyof typeof providerEn
const render = catalogue<RefusalCode>('refusals', 'provider-refusals')

const isRefusalCode = (code: string): code is RefusalCode =>
  Object.hasOwn(en, code) || Object.hasOwn(providerEn, code)

/** @returns undefined if the code or its parameters come from another version */
function findText(
  language: Language,
  { code, params = {}, field }: CodedReason,
): string | undefined {
  try {
    if (field !== undefined)
      return isFaultCode(code) ? namedFaultText(language, { code, params, field }) : undefined
    return isRefusalCode(code) ? render(language, { code, params }) : undefined
  } catch {
    return undefined
  }
}

/**
 * Renders the reason of a rejected request in the viewer's language. Without codes, returns the stored English text.
 */
export function explainReason(
  language: Language,
  { reason, coded_reason: parts }: Pick<RefusedRequest, 'reason' | 'coded_reason'>,
): Detail[] {
  const texts =
    parts?.map((part) => findText(language, part)).filter((text) => text !== undefined) ?? []
  return texts.length > 0 && texts.length === parts?.length
    ? texts.map((text) => ({ text, language }))
    : [{ text: reason, language: 'en' }]
}
