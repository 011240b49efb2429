import type { EntriesPage } from '../../browse/lists/list-page.ts'
import { MAX_PAGED_ENTRIES } from '../../browse/lists/parse-list-query.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { hiddenWorksNotice } from '../adult-works/hidden-works.ts'
import { pathWith } from '../components/path-with.ts'
import { chips } from '../components/chips.ts'
import { entryGrid } from '../components/entry-grid.ts'
import { entryTable } from '../components/entry-table.ts'
import { pager } from '../components/pager.ts'
import { activeFilters } from './active-filters.ts'
import type { FilterNames } from './filter-names.ts'
import { PAGE_SIZES, type ListPageQuery, type ListView } from './list-query.ts'
import { MAX_EXACT_TOTAL } from '../../http/wire/requests/paging.ts'

export type ListData = {
  path: string
  heading: string
  /** Introduction below the heading. */
  lead?: string | undefined
  listQuery: ListPageQuery
  /** Titles of the entries that the list is filtered by. */
  names: FilterNames
  found: EntriesPage
  /** Number of adult works that the list leaves out. */
  hidden: number
  isOfWorks: boolean
  /** Whether the list mixes entries of several kinds. */
  isMixed?: boolean
  filters?: Html | undefined
  /** Shown instead of an unfiltered empty list. */
  emptyNotice?: Html | undefined
}

/** Renders a list of entries with its filters and pages. */
export function listView(context: PageContext, data: ListData): View {
  const {
    path,
    heading,
    lead,
    listQuery,
    names,
    found,
    hidden,
    isOfWorks,
    isMixed = false,
    filters,
    emptyNotice,
  } = data
  const { browse: texts } = context.messages
  const { parameters, view, page } = listQuery
  const entries = found.entries
  const size = PAGE_SIZES[view]
  const counted = Math.max(Math.ceil(found.total / size), found.hasMore ? page + 1 : 1)
  const last = Math.min(counted, Math.floor(MAX_PAGED_ENTRIES / size))
  const pathOf = (number: number) =>
    pathWith(path, parameters, { page: number === 1 ? null : String(number) })
  const viewLink = (name: ListView, text: string) => ({
    href: pathWith(path, parameters, { view: name === 'grid' ? null : name, page: null }),
    text,
    isCurrent: view === name,
  })
  const isFiltered = [...parameters.keys()].some((name) => !['page', 'sort', 'view'].includes(name))
  const isBare = entries.length === 0 && !isFiltered
  const empty = isBare ? (hidden > 0 ? html`` : emptyNotice) : undefined
  const canonical = page === 1 ? path : `${path}?page=${page}`
  return {
    title: heading,
    head: {
      description: lead ?? texts.description({ heading }),
      // Every combination of filters has its own URL. Search engines should index only the plain
      // list.
      ...(isFiltered || view === 'table' ? { robots: 'noindex' } : { canonical }),
      openGraph: { type: 'website' },
      feeds: [{ title: context.messages.feedPage.title, href: '/feeds/new.atom' }],
    },
    body: html`<div class="list-head cluster"><h1>${heading}</h1><p class="quiet">${countText(context, found.total)}</p>${!empty && chips(texts.view, [viewLink('grid', texts.grid), viewLink('table', texts.table)], 'views')}</div>
${lead !== undefined && html`<p class="lead">${lead}</p>`}
${!empty && filters}
${activeFilters(context, path, listQuery, names)}${isOfWorks && !isMixed && found.total > 1 && html`<p class="ways"><a href="${pathWith(`/random${path}`, parameters, { page: null, view: null, sort: null })}" rel="nofollow">${context.messages.random.link}</a></p>`}${hiddenWorksNotice(context, hidden)}
${
  entries.length === 0
    ? (empty ??
      html`<div class="empty">${hidden === 0 && html`<p>${texts.empty}</p>`}<p class="quiet">${texts.emptyHint}</p><p><a class="button secondary" href="${path}">${texts.reset}</a></p></div>`)
    : view === 'grid'
      ? entryGrid(context, entries, { showsKind: isMixed })
      : entryTable(context, entries, isOfWorks)
}
${pager(context, { page, last, pathOf })}`,
  }
}

function countText({ messages }: PageContext, total: number): string {
  const { browse: texts } = messages
  // Counting stops at the limit. The total is then the limit or one more.
  const isCounted = total < MAX_EXACT_TOTAL || total > MAX_EXACT_TOTAL + 1
  return isCounted ? texts.count({ amount: total }) : texts.countOfMany({ amount: MAX_EXACT_TOTAL })
}
