import { ENTRY_KINDS } from '../../catalog/kinds.ts'
import type { PageContext } from '../../pages/page-context.ts'
import { ENTRY_DETAILS } from '../../pages/messages/refusal-details-entries.ts'
import { FIELD_DETAILS } from '../../pages/messages/refusal-details-fields.ts'
import { explainDetail, explainField } from '../../pages/messages/refusal-details.ts'

/** What the rules of entries refuse, in the reader's language; as the command says it where there are no other words for it. */
export function explainEntryRefusal(
  { language, messages }: Pick<PageContext, 'language' | 'messages'>,
  text: string,
): string {
  if (language === 'en') return text
  const kinds = new Map<string, string>(
    ENTRY_KINDS.map((kind) => [kind.replace('_', ' '), messages.kinds[kind]]),
  )
  const inWords = (value: string) => {
    const [, kind = '', id = ''] = /^([a-z ]+?)( \d+)?$/.exec(value) ?? []
    const word = kinds.get(kind)
    return word === undefined ? value : word + id
  }
  return (
    explainDetail(language, ENTRY_DETAILS, text, (values) => values.map(inWords)) ??
    explainField(language, FIELD_DETAILS, text.replace(/\.$/, '')) ??
    text
  )
}
