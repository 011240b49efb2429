import type { Language } from '../../i18n/languages.ts'
import { CALL_DETAILS } from '../../pages/messages/refusal-details-calls.ts'
import { FIELD_DETAILS } from '../../pages/messages/refusal-details-fields.ts'
import { PROTOCOL_DETAILS } from '../../pages/messages/refusal-details-protocol.ts'
import { explainDetail, explainField } from '../../pages/messages/refusal-details.ts'

/** One thing a request did not meet; in English where there are no other words for it. */
export type Detail = { text: string; language: Language }

/** What stands between two of them (`note-refused-call.ts`). */
const BETWEEN = ' · '

const DETAILS = [...PROTOCOL_DETAILS, ...CALL_DETAILS]

/** Puts a reason that was kept in English into the reader's language, with what it names. */
export const explainReason = (language: Language, reason: string): Detail[] =>
  reason.split(BETWEEN).map((text) => {
    const explained =
      language === 'en'
        ? undefined
        : (explainDetail(language, DETAILS, text) ?? explainField(language, FIELD_DETAILS, text))
    return explained === undefined ? { text, language: 'en' } : { text: explained, language }
  })
