import type { EntriesPage } from '../../browse/lists/list-page.ts'
import { MAX_PAGED_ENTRIES } from '../../browse/lists/parse-list-query.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { pathWith } from '../components/path-with.ts'
import type { EntryNotes } from '../components/card.ts'
import { chips } from '../components/chips.ts'
import { entryGrid } from '../components/entry-grid.ts'
import { entryTable } from '../components/entry-table.ts'
import { pager } from '../components/pager.ts'
import { activeFilters } from './active-filters.ts'
import type { FilterNames } from './filter-names.ts'
import { isFiltered, PAGE_SIZES, type ListPageQuery, type ListView } from './list-query.ts'
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
  /** Says that the list leaves out adult works. */
  hiddenNotice: Html | false
  /** Path of the feed of these works; undefined for the feed of all new works. */
  feed?: string
  isOfWorks: boolean
  /** Whether the list mixes entries of several kinds. */
  isMixed?: boolean
  filters?: Html | undefined
  /** Links that jump to names by their first letter. */
  letters?: Html | undefined
  /** Roles and best-known works of people, producers and characters. */
  notes?: EntryNotes | undefined
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
    hiddenNotice,
    feed,
    isOfWorks,
    isMixed = false,
    filters,
    letters,
    notes,
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
  const filtered = isFiltered(listQuery)
  const isBare = entries.length === 0 && !filtered
  const empty = isBare ? (hiddenNotice ? html`` : emptyNotice) : undefined
  const showsViews = !empty && (isOfWorks || entries.some(({ cover }) => cover !== null))
  const canonical = page === 1 ? path : `${path}?page=${page}`
  return {
    title: heading,
    ...(filters && { scripts: ['/assets/filters.js'] }),
    head: {
      description: lead ?? texts.description({ heading }),
      // Every combination of filters has its own URL. Search engines should index only the plain list.
      ...(filtered || view === 'table' ? { robots: 'noindex' } : { canonical }),
      openGraph: { type: 'website' },
      feeds: [
        feed === undefined
          ? { title: context.messages.feedPage.title, href: '/feeds/new.atom' }
          : { title: heading, href: feed },
      ],
    },
    body: html`<div class="list-head cluster"><h1>${heading}</h1><p class="quiet">${countText(context, found.total)}</p>${showsViews && chips(texts.view, [viewLink('grid', isOfWorks ? texts.grid : texts.pictures), viewLink('table', texts.table)], 'views')}</div>
${lead !== undefined && html`<p class="lead">${lead}</p>`}
${!empty && filters}${!empty && letters}
${activeFilters(context, path, listQuery, names)}${isOfWorks && !isMixed && found.total > 1 && html`<p class="ways"><a href="${pathWith(`/random${path}`, parameters, { page: null, view: null, ...(!parameters.has('starts') && { sort: null }) })}" rel="nofollow">${context.messages.random.link}</a></p>`}${feed !== undefined && html`<p class="ways"><a href="${feed}">${context.messages.feedPage.link}</a></p>`}${hiddenNotice}
${
  entries.length === 0
    ? (empty ??
      html`<div class="empty"><p>${texts.empty}</p><p class="quiet">${texts.emptyHint}</p><p><a class="button secondary" href="${path}">${texts.reset}</a></p></div>`)
    : view === 'grid'
      ? entryGrid(context, entries, { showsKind: isMixed, notes })
      : entryTable(context, entries, { isOfWorks, notes })
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
