import type { EntryKind } from '../../catalog/kinds.ts'
import type { ListedMerge } from '../../curation/merge/list-merges-queries.ts'
import type { EntryPair } from '../../curation/merge/merge-entries.ts'
import { isWorkKind } from '../../catalog/kinds.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { entryPath } from '../../site/components/entry-path.ts'
import { actionForm, expandableActionForm, deskTable, deskView, timeText } from '../desk-view.ts'
import { kindOptions, kindText, matchRuleText } from './entry-kind.ts'
import { portraitPair, type PortraitSide } from './portrait-view.ts'

/** Entries to compare before they are merged. */
type ComparedPair = EntryPair & { sides: [from: PortraitSide, into: PortraitSide] }

type MergesData = {
  merges: ListedMerge[]
  next: number | undefined
  /** Values for the form. */
  typed: { kind?: EntryKind | undefined; from?: number | undefined; into?: number | undefined }
  compared: ComparedPair | undefined
  notice: Html | undefined
}

/** Renders the manual merges, a form that compares two entries and, for compared entries, a form that merges them. */
export function mergesView(
  context: PageContext,
  { merges, next, typed, compared, notice }: MergesData,
): View {
  const { desk: texts } = context.messages
  const { columns } = texts
  const number = (name: 'from' | 'into') =>
    html`<label>${texts.merges[name]}<input name="${name}" value="${typed[name]}" inputmode="numeric" pattern="[0-9]+" maxlength="15" autocomplete="off" required></label>`
  const undo = ({ kind, from_id: from, into_id: into }: ListedMerge) =>
    expandableActionForm(context, {
      action: '/desk/merges/undo',
      button: texts.merges.unmerge,
      fields: { kind, from: String(from), into: String(into) },
    })
  return deskView(context, {
    part: 'merges',
    lead: texts.merges.lead,
    notice,
    body: html`<form method="get" action="/desk/merges" class="desk-find cluster"><label>${columns.kind}<select name="kind">${kindOptions(context, typed.kind)}</select></label>${number('from')}${number('into')}<button${compared && html` class="secondary"`}>${texts.merges.compare}</button></form>
${compared && mergeForm(context, compared)}
<h2>${texts.parts.merges}</h2>${deskTable(
      context,
      [
        { text: columns.kind },
        { text: texts.merges.from },
        { text: texts.merges.into },
        { text: columns.rule },
        { text: columns.at },
        { text: columns.state },
      ],
      merges.map((merge) => [
        kindText(context, merge.kind),
        merge.from_id,
        html`<a href="${entryPath(merge.kind, merge.into_id)}">${merge.into_id}</a>`,
        matchRuleText(context, merge.rule),
        timeText(context, merge.merged_at),
        merge.undone_at ? html`${texts.undone} ${timeText(context, merge.undone_at)}` : undo(merge),
      ]),
    )}${next !== undefined && html`<p><a href="/desk/merges?before=${next}">${texts.more}</a></p>`}`,
  })
}

/** Renders two entries with what cannot be undone, and the form that merges them. */
function mergeForm(context: PageContext, { kind, from, into, sides }: ComparedPair): Html {
  const { merges: texts } = context.messages.desk
  const { ratings, both, order, copies } = texts.limits
  const limits = [...(isWorkKind(kind) ? [ratings, both] : []), order, copies]
  return html`<section class="merging">${portraitPair(context, kind, sides)}
<div class="notice stale"><p><strong>${texts.permanent}</strong></p><ul>${limits.map((limit) => html`<li>${limit}</li>`)}</ul></div>
${actionForm(context, {
  action: '/desk/merges',
  button: texts.merge,
  isDangerous: true,
  fields: { kind, from: String(from), into: String(into) },
})}</section>`
}
