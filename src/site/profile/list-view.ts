import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { LibraryItem } from '../../ratings/own/lists/library-queries.ts'
import { pager } from '../components/pager.ts'
import { pathWith } from '../components/path-with.ts'
import { libraryItems } from '../library/library-items.ts'
import type { LibraryQuery } from '../library/library-query.ts'
import {
  countAll,
  libraryFilterForm,
  LIST_PAGE_SIZE,
  sortedBy,
  statusTabs,
  viewLinks,
  type StatusCounts,
} from '../library/library-view.ts'
import { statusLabels } from '../library/rating/quick-rating.ts'

export type PublicList = {
  path: string
  query: LibraryQuery
  page: number
  items: LibraryItem[]
  counts: StatusCounts
}

/** Renders a user's public list: tabs by status, filters, and the works in the view that the viewer chose. */
export function publicListView(context: PageContext, data: PublicList): Html {
  const { messages } = context
  const { library: texts, profilePage } = messages
  const { path, query, page, items, counts } = data
  const { filter, sort, parameters, view } = query
  const all = countAll(counts)
  const total = filter.status === undefined ? all : (counts.get(filter.status) ?? 0)
  const isNarrowed =
    filter.kind !== undefined || filter.title !== undefined || filter.status !== undefined
  if (all === 0 && !isNarrowed) return html`<p class="empty">${profilePage.empty.list}</p>`
  const pathOf = (number: number) =>
    pathWith(path, parameters, { page: number === 1 ? null : String(number) })
  return html`<div class="list-head cluster">${statusTabs(context, path, query, counts, false)}${viewLinks(context, path, query)}</div>
${libraryFilterForm(context, query, path, { orders: profilePage.order })}
${
  items.length === 0
    ? html`<div class="empty"><p>${messages.browse.empty}</p><p><a class="button secondary" href="${path}">${texts.all}</a></p></div>`
    : html`<div class="own-shelf">${libraryItems(context, items, {
        view,
        names: statusLabels(messages, filter.kind),
        columns: query.columns,
        sort,
        sortPath: sortedBy(path, parameters, sort),
      })}
${pager(context, { page, last: Math.max(1, Math.ceil(total / LIST_PAGE_SIZE)), pathOf })}</div>`
}`
}
