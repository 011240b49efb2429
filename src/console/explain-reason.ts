import type { CodedReason, RefusedRequest } from '../apps/usage/refused-request-buffer.ts'
import { catalogue } from '../i18n/catalogue.ts'
import type { Language } from '../i18n/languages.ts'
import providerEn from '../i18n/locales/en/provider-refusals.json' with { type: 'json' }
import en from '../i18n/locales/en/refusals.json' with { type: 'json' }
import { isFaultCode, namedFaultText } from '../ui/value-fault-text.ts'

/** Text of one requirement that a request violated. It is in English if only a library describes it. */
export type Detail = {
  text: string
  language: Language
  /** All allowed values, if the text names only the first of them. */
  values?: string[] | undefined
}

/** Maximum number of allowed values that a text names. */
const MAX_NAMED_VALUES = 5

/** Shortens a long list of allowed values, and returns all of them. */
function foldValues(part: CodedReason): { part: CodedReason; values?: string[] } {
  const list = part.params?.['values']
  const values = typeof list === 'string' ? list.split(', ') : []
  if (values.length <= MAX_NAMED_VALUES) return { part }
  const named = `${values.slice(0, MAX_NAMED_VALUES).join(', ')}, …`
  return { part: { ...part, params: { ...part.params, values: named } }, values }
}

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
  const details = parts?.flatMap((stored): Detail[] => {
    const { part, values } = foldValues(stored)
    const text = findText(language, part)
    return text === undefined ? [] : [{ text, language, ...(values && { values }) }]
  })
  return details && details.length > 0 && details.length === parts?.length
    ? details
    : [{ text: reason, language: 'en' }]
}
