import { entryRefusalText, type EntryRefusal } from '../../curation/merge/entry-refusal.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { recordKindText } from './entry-kind.ts'

/** Why entries stay as they are, in the reader's language. */
export const explainEntryRefusal = (
  context: Pick<PageContext, 'language' | 'messages'>,
  refusal: EntryRefusal,
): string => entryRefusalText(context.language, refusal, (kind) => recordKindText(context, kind))
