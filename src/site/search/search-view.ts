import { SEARCH_TYPES } from '../../search/schemas.ts'
import { html, type Html } from '../../ui/html.ts'
import { searchBox } from '../../ui/page/frame.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import type { EntryKind } from '../../catalog/kinds.ts'
import { hiddenWorksNotice } from '../adult-works/hidden-works.ts'
import { listsAdultWorks } from '../adult-works/visibility.ts'
import { chips } from '../components/chips.ts'
import { formatNumber } from '../components/format-number.ts'
import { pager } from '../components/pager.ts'
import { hiddenMatches } from './hidden-matches.ts'
import type { SearchResults } from './search-by-kind.ts'
import { hitList } from './hit-list.ts'
import { MAX_EXACT_TOTAL } from '../../http/wire/requests/paging.ts'

export type SearchData = {
  q: string
  kind: EntryKind | undefined
  page: number
  pageSize: number
  found: SearchResults
  /** Shown instead of an empty result if the catalog is empty. */
  emptyNotice: Html | undefined
}

const pathOf = (q: string, kind: EntryKind | undefined, page = 1) => {
  const parameters = new URLSearchParams({
    q,
    ...(kind && { type: kind }),
    ...(page > 1 && { page: String(page) }),
  })
  return `/search?${parameters.toString()}`
}

export function searchView(
  context: PageContext,
  { q, kind, page, pageSize, found, emptyNotice }: SearchData,
): View {
  const { messages, language } = context
  const { searchPage: texts, browse } = messages
  const { hits, total, kindTotals, hidden } = found
  const all = [...(kindTotals?.values() ?? [])].reduce((sum, amount) => sum + amount, 0)
  const totalText = (amount: number | undefined) =>
    kindTotals ? formatNumber(language, amount ?? 0) : undefined
  const kinds = SEARCH_TYPES.filter((name) => !kindTotals || kindTotals.has(name) || name === kind)
  const links = [
    {
      href: pathOf(q, undefined),
      text: texts.all,
      amount: totalText(all),
      isCurrent: kind === undefined,
    },
    ...kinds.map((name) => ({
      href: pathOf(q, name),
      text: messages.kinds[name],
      amount: totalText(kindTotals?.get(name)),
      isCurrent: kind === name,
    })),
  ]
  const count =
    total < MAX_EXACT_TOTAL
      ? browse.count({ amount: total })
      : browse.countOfMany({ amount: MAX_EXACT_TOTAL })
  return {
    title: texts.titleOf({ query: q }),
    query: q,
    head: { robots: 'noindex' },
    body: html`<div class="list-head cluster"><h1>${texts.titleOf({ query: q })}</h1><p class="quiet" role="status">${count}</p></div>
${chips(texts.kinds, links)}
${
  hits.length === 0
    ? (emptyNotice ??
      html`<div class="empty"><p>${texts.empty({ query: q })}</p><p class="quiet">${texts.emptyHint}</p>${!listsAdultWorks(context) && hiddenMatches(context, hidden)}</div>`)
    : html`${hiddenWorksNotice(context, hidden)}${hitList(context, hits)}`
}
${pager(context, { page, last: Math.ceil(total / pageSize), pathOf: (number) => pathOf(q, kind, number) })}`,
  }
}

/** Renders the search page before a query is entered. */
export function searchStartView({ messages }: PageContext): View {
  const { searchPage: texts } = messages
  return {
    hasOwnSearch: true,
    title: texts.title,
    head: { canonical: '/search', description: texts.lead },
    body: html`<div class="hero"><h1>${texts.title}</h1><p class="lead">${texts.lead}</p>
${searchBox(messages, '')}</div>`,
  }
}
