import { ENTRY_KINDS } from '../../catalog/kinds.ts'
import {
  MATCH_STATES,
  type Match,
  type MatchedRecord,
  type MatchFilter,
} from '../../curation/join/list-matches.ts'
import { MATCH_RULES } from '../../curation/join/pairs.ts'
import { SOURCE_NAMES, SOURCES } from '../../sources/registry.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { labelFor } from '../../site/entry/labels.ts'
import { chips } from '../../site/components/chips.ts'
import { pager } from '../../site/components/pager.ts'
import { deskView } from '../desk-view.ts'
import { kindText, matchRuleText } from './entry-kind.ts'
import { portraitKey, type Portrait } from './portrait-queries.ts'
import { portraitPair, type PortraitSide } from './portrait-view.ts'

type MatchesData = {
  items: Match[]
  /** Entries of the records, by `portraitKey`. */
  portraits: Map<string, Portrait>
  total: number
  filter: MatchFilter
  last: number
  /** Whether every pair is selected. */
  allSelected: boolean
  notice: Html | undefined
}

/** Returns the query string of a filter, for links and for the target of the form. */
export const matchQuery = ({ state, kind, source, rule }: Partial<MatchFilter>): string =>
  new URLSearchParams(
    Object.entries({ state, kind, source, rule }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  ).toString()

/** Renders the matches to decide. The form submits `match` several times, `note` and `decision`. */
export function matchesView(context: PageContext, data: MatchesData): View {
  const { desk: texts } = context.messages
  const { items, total, filter, last, allSelected, notice } = data
  const { state, page } = filter
  const query = matchQuery(filter)
  return deskView(context, {
    part: 'matches',
    lead: texts.matches.lead,
    notice,
    body: html`${chips(
      texts.columns.state,
      MATCH_STATES.map((item) => ({
        href: `/desk/matches?${matchQuery({ ...filter, state: item })}`,
        text: texts.matches.states[item],
        isCurrent: item === state,
        ...(item === state && { amount: total.toLocaleString(context.language) }),
      })),
    )}${filterForm(context, filter)}${
      items.length === 0
        ? html`<p class="quiet">${texts.none}</p>`
        : html`<form method="post" action="/desk/matches/decide?${query}" class="matches">${context.csrfField()}
<p><a class="tap" href="/desk/matches?${query}&amp;page=${page}&amp;select=all">${texts.matches.selectAll}</a></p>
<ul class="rows">${items.map((match) => matchView(context, match, data.portraits, allSelected))}</ul>
${decisionBar(context, state)}</form>`
    }${pager(context, { page, last, pathOf: (number) => `/desk/matches?${query}&page=${number}` })}`,
  })
}

function filterForm(context: PageContext, { state, kind, source, rule }: MatchFilter): Html {
  const { desk: texts, browse } = context.messages
  const choice = (
    name: string,
    label: string,
    options: readonly (readonly [value: string, text: string])[],
    chosen: string | undefined,
  ) =>
    html`<label>${label}<select name="${name}"><option value="">${browse.any}</option>${options.map(
      ([value, text]) =>
        html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
    )}</select></label>`
  return html`<form method="get" action="/desk/matches" class="desk-find cluster"><input type="hidden" name="state" value="${state}">${choice(
    'kind',
    texts.columns.kind,
    ENTRY_KINDS.map((item) => [item, kindText(context, item)]),
    kind,
  )}${choice(
    'source',
    texts.columns.source,
    SOURCE_NAMES.map((item) => [item, SOURCES[item].label]),
    source,
  )}${choice(
    'rule',
    texts.columns.rule,
    MATCH_RULES.map((item) => [item, matchRuleText(context, item)]),
    rule,
  )}<button class="secondary">${texts.find}</button></form>`
}

function matchView(
  context: PageContext,
  match: Match,
  portraits: Map<string, Portrait>,
  isSelected: boolean,
): Html {
  const { desk: texts } = context.messages
  const { id, kind, one, other } = match
  const side = (record: MatchedRecord): PortraitSide => ({
    record,
    portrait:
      record.entry_id === null
        ? undefined
        : portraits.get(portraitKey({ kind, id: record.entry_id })),
  })
  const rule = matchRuleText(context, match.rule)
  const evidence = evidenceTexts(context, match).filter(
    (text) => text.toLowerCase() !== rule.toLowerCase(),
  )
  return html`<li><div class="cluster"><label class="check"><input type="checkbox" name="match" value="${id}"${isSelected && html` checked`}><span class="unseen">${texts.matches.select}: ${one.name ?? one.external_id}, ${other.name ?? other.external_id}</span><strong aria-hidden="true">${rule}</strong></label>
<span class="quiet">${[kindText(context, kind), ...evidence].join(' · ')}</span></div>
${portraitPair(context, kind, [side(one), side(other)])}</li>\n`
}

/** Describes the evidence in words. Details that have no text are shown as stored. */
function evidenceTexts({ messages }: PageContext, { evidence }: Match): string[] {
  const { evidence: texts } = messages.desk.matches
  return Object.entries(evidence).flatMap(([name, value]) => {
    if (name === 'same_name') return value === true ? texts.same_name : texts.other_name
    if (name === 'same_author') return value === true ? texts.same_author : texts.other_author
    if (name === 'roles_agree') return value === true ? texts.roles_agree : texts.other_roles
    if (name === 'days_apart' && typeof value === 'number')
      return value === 0 ? texts.same_day : texts.days_apart({ days: value })
    if (name === 'works' && typeof value === 'number') return texts.works({ works: value })
    if (name === 'contradicted_by') {
      const facts = String(value).split(' ')
      return texts.contradicted_by({
        facts: facts.map((fact) => labelFor(texts.facts, fact)).join(', '),
      })
    }
    // The dates are shown in days.
    return name === 'in_time' ? [] : `${name.replaceAll('_', ' ')}: ${String(value)}`
  })
}

/** Renders the buttons that decide the selected pairs, which stay in view. */
function decisionBar({ messages }: PageContext, state: MatchFilter['state']): Html {
  const { desk: texts } = messages
  return html`<fieldset class="decide panel"><legend class="unseen">${texts.matches.selected}</legend><label>${texts.why}<input name="note" maxlength="1000" required autocomplete="off"></label>
${state !== 'accepted' && html`<button name="decision" value="accepted">${texts.matches.accept}</button>`}
${state !== 'rejected' && html`<button class="secondary" name="decision" value="rejected">${texts.matches.reject}</button>`}</fieldset>`
}
