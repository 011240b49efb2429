import { entryRefusalText, type EntryRefusal } from '../../curation/merge/entry-refusal.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { recordKindText } from './entry-kind.ts'

/** Explains in the viewer's language why an entry was not changed. */
export const explainEntryRefusal = (
  context: Pick<PageContext, 'language' | 'messages'>,
  refusal: EntryRefusal,
): string => entryRefusalText(context.language, refusal, (kind) => recordKindText(context, kind))
