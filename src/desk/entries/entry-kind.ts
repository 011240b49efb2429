import { ENTRY_KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'

/** What a kind of entry is called. */
export const kindText = ({ messages }: PageContext, kind: EntryKind): string => messages.kinds[kind]

/** The same of what sources have records of: volumes are no entries. */
export const recordKindText = ({ messages }: Pick<PageContext, 'messages'>, kind: string): string =>
  new Map(Object.entries({ ...messages.kinds, ...messages.desk.imports.volumes })).get(kind) ?? kind

/** Which rule says that two are the same; one that has no words yet by its name. */
export const matchRuleText = ({ messages }: PageContext, rule: string): string =>
  new Map(Object.entries(messages.desk.rules)).get(rule) ?? rule

export const kindOptions = (context: PageContext, chosen?: EntryKind): Html[] =>
  ENTRY_KINDS.map(
    (kind) =>
      html`<option value="${kind}"${kind === chosen && html` selected`}>${kindText(context, kind)}</option>`,
  )
