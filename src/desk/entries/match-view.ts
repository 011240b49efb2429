import { ENTRY_KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { MATCH_STATES, type Match, type MatchState } from '../../curation/join/review.ts'
import type { ListedMerge } from '../../curation/merge/list-merges-queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { chips } from '../../site/components/chips.ts'
import { entryPath } from '../../site/components/entry-path.ts'
import { pager } from '../../site/components/pager.ts'
import { actionForm, expandableActionForm, deskTable, deskView, timeText } from '../desk-view.ts'
import { kindOptions, kindText, matchRuleText } from './entry-kind.ts'

type MatchesData = {
  items: Match[]
  total: number
  state: MatchState
  kind: EntryKind | undefined
  page: number
  last: number
  notice: Html | undefined
}

/** Renders the matches to decide. */
export function matchesView(context: PageContext, data: MatchesData): View {
  const { desk: texts } = context.messages
  const { columns } = texts
  const { items, total, state, kind, page, last, notice } = data
  const query = (changed: { state?: MatchState; kind?: EntryKind | undefined; page?: number }) =>
    `/desk/matches?${new URLSearchParams(
      Object.entries({ state, kind, ...changed }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    ).toString()}`
  const decision = (match: Match, action: 'accept' | 'reject') =>
    expandableActionForm(context, {
      action: `/desk/matches/${match.id}/${action}`,
      button: texts.matches[action],
      fields: { state },
    })
  return deskView(context, {
    part: 'matches',
    lead: texts.matches.lead,
    notice,
    body: html`${chips(
      columns.state,
      MATCH_STATES.map((item) => ({
        href: query({ state: item }),
        text: texts.matches.states[item],
        isCurrent: item === state,
        ...(item === state && { amount: String(total) }),
      })),
    )}${chips(
      columns.kind,
      ENTRY_KINDS.map((item) => ({
        href: query({ kind: item === kind ? undefined : item }),
        text: kindText(context, item),
        isCurrent: item === kind,
      })),
    )}${deskTable(
      context,
      [
        { text: columns.kind },
        { text: columns.one },
        { text: columns.other },
        { text: columns.rule },
        { text: columns.evidence, isLong: true },
        { text: texts.accounts.acts },
      ],
      items.map((match) => [
        kindText(context, match.kind),
        side(match, match.one),
        side(match, match.other),
        matchRuleText(context, match.rule),
        Object.entries(match.evidence)
          .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value)}`)
          .join(', '),
        html`${state !== 'accepted' && decision(match, 'accept')}${state !== 'rejected' && decision(match, 'reject')}`,
      ]),
    )}${pager(context, { page, last, pathOf: (number) => query({ page: number }) })}`,
  })
}

const side = (
  { kind }: Match,
  { name, source, external_id: externalId, entry_id: id }: Match['one'],
): Html =>
  html`${id === null ? (name ?? '?') : html`<a href="${entryPath(kind, id)}">${name ?? '?'}</a>`}<br><span class="quiet">${source} ${externalId}</span>`

type MergesData = { merges: ListedMerge[]; next: number | undefined; notice: Html | undefined }

/** Renders the manual merges and a form for a new one. */
export function mergesView(context: PageContext, { merges, next, notice }: MergesData): View {
  const { desk: texts } = context.messages
  const { columns } = texts
  const number = (name: 'from' | 'into') =>
    html`<div class="field"><label for="merge-${name}">${texts.merges[name]}</label><input id="merge-${name}" name="${name}" inputmode="numeric" pattern="[0-9]+" maxlength="15" autocomplete="off" required></div>`
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
    body: html`<div class="acts tiles">${actionForm(context, {
      action: '/desk/merges',
      button: texts.merges.merge,
      isDangerous: true,
      controls: html`<div class="field"><label for="merge-kind">${columns.kind}</label><select id="merge-kind" name="kind">${kindOptions(context)}</select></div>${number('from')}${number('into')}`,
    })}</div>
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
