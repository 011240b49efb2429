import { ENTRY_KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'

/** Returns the name of a kind of entry. */
export const kindText = ({ messages }: PageContext, kind: EntryKind): string => messages.kinds[kind]

/** Returns the name of a kind of source record. Volumes have records but are not entries. */
export const recordKindText = ({ messages }: Pick<PageContext, 'messages'>, kind: string): string =>
  new Map(Object.entries({ ...messages.kinds, ...messages.desk.imports.volumes })).get(kind) ?? kind

/** Returns the text of a match rule, or its name if it has no text yet. */
export const matchRuleText = ({ messages }: PageContext, rule: string): string =>
  new Map(Object.entries(messages.desk.rules)).get(rule) ?? rule

export const kindOptions = (context: PageContext, chosen?: EntryKind): Html[] =>
  ENTRY_KINDS.map(
    (kind) =>
      html`<option value="${kind}"${kind === chosen && html` selected`}>${kindText(context, kind)}</option>`,
  )
