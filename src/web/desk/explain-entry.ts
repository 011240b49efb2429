import { entryRefusalText, type EntryRefusal } from '../../importers/entry-refusal.ts'
import type { PageContext } from '../../pages/page-context.ts'
import { FIELD_DETAILS } from '../../pages/messages/refusal-details-fields.ts'
import { explainField } from '../../pages/messages/refusal-details.ts'
import { recordKindText } from './entry-kind.ts'

/** Why entries stay as they are, in the reader's language. */
export function explainEntryRefusal(
  context: Pick<PageContext, 'language' | 'messages'>,
  refusal: EntryRefusal,
): string {
  const { language } = context
  if (language === 'en') return entryRefusalText('en', refusal)
  if (refusal.code === 'field.invalid') {
    // What a schema finds wrong is an English sentence still.
    const explained = explainField(
      language,
      FIELD_DETAILS,
      entryRefusalText('en', refusal).replace(/\.$/, ''),
    )
    if (explained !== undefined) return explained
  }
  return entryRefusalText(language, refusal, (kind) => recordKindText(context, kind))
}
