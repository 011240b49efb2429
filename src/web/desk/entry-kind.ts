import { ENTRY_KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { html, type Html } from '../../pages/html.ts'
import type { PageContext } from '../../pages/page-context.ts'

/** What a kind of entry is called. */
export const kindText = ({ messages }: PageContext, kind: EntryKind): string => messages.kinds[kind]

export const kindOptions = (context: PageContext, chosen?: EntryKind): Html[] =>
  ENTRY_KINDS.map(
    (kind) =>
      html`<option value="${kind}"${kind === chosen && html` selected`}>${kindText(context, kind)}</option>`,
  )
