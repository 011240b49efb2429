import { KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import { hiddenFields } from '../../ui/forms/forms.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { STATUSES, type Status } from '../../ratings/fields.ts'
import type { LibraryOrder, LibrarySort } from '../../ratings/own/lists/library-queries.ts'
import { chips } from '../components/chips.ts'
import { formatNumber } from '../components/format-number.ts'
import { pathWith } from '../components/path-with.ts'
import { shownNames, type ShownTitle } from '../components/titles.ts'
import { LIBRARY_VIEWS, type LibraryQuery } from './library-query.ts'
import { statusLabels } from './rating/quick-rating.ts'

/** Number of works on a page of a list. 48 fills rows of two, three, four, six and eight covers. */
export const LIST_PAGE_SIZE = 48

/** Works per status; null counts those without one. */
export type StatusCounts = ReadonlyMap<Status | null, number>

/** Counts the works of a list that have any of its statuses. */
export const countAll = (counts: StatusCounts): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0)

/** Renders links to the views of a list. */
export function viewLinks({ messages }: PageContext, path: string, query: LibraryQuery): Html {
  const { browse, library } = messages
  const labels = { rows: library.rows, covers: browse.grid, table: browse.table }
  return chips(
    browse.view,
    LIBRARY_VIEWS.map((view) => ({
      href: pathWith(path, query.parameters, { view }),
      text: labels[view],
      isCurrent: query.view === view,
    })),
    'views three',
  )
}

/**
 * Renders links to each status of a list, with its number of works.
 *
 * @param hasNone whether works without a status have a link
 */
export function statusTabs(
  { messages, language }: PageContext,
  path: string,
  { filter, parameters }: LibraryQuery,
  counts: StatusCounts,
  hasNone: boolean,
): Html {
  const { library: texts } = messages
  const names = statusLabels(messages, filter.kind)
  const tab = (status: Status | null | undefined, value: string | null, text: string) => ({
    href: pathWith(path, parameters, { status: value }),
    text,
    amount: formatNumber(
      language,
      status === undefined ? countAll(counts) : (counts.get(status) ?? 0),
    ),
    isCurrent: filter.status === status,
  })
  return chips(texts.status, [
    tab(undefined, null, texts.all),
    ...STATUSES.map((status) => tab(status, status, names[status])),
    ...(hasNone ? [tab(null, 'none', texts.noStatus)] : []),
  ])
}

/** Returns the path of a list sorted by a column, or in the reverse order if that is its present column. */
export const sortedBy =
  (path: string, parameters: URLSearchParams, { order, isReversed }: LibrarySort) =>
  (sort: LibraryOrder): string =>
    pathWith(path, parameters, { sort, reverse: sort === order && !isReversed ? '1' : null })

/**
 * Renders a form that filters a list by kind, title and label, and orders it. On phones, it is collapsed until one is
 * chosen.
 *
 * @param path path of the list
 * @param orders labels of the orders
 * @param labels labels to choose from
 */
export function libraryFilterForm(
  { messages }: PageContext,
  { filter, sort, parameters }: LibraryQuery,
  path: string,
  { orders, labels = [] }: { orders: Partial<Record<LibraryOrder, string>>; labels?: string[] },
): Html {
  const { library: texts, browse, kinds } = messages
  const kept = Object.fromEntries(
    ['status', 'view'].flatMap((name) => parameters.getAll(name).map((value) => [name, value])),
  )
  const isChanged =
    sort.order !== 'recent' ||
    [filter.kind, filter.title, filter.label].some((value) => value !== undefined)
  const option = (value: string, text: string, isChosen: boolean) =>
    html`<option value="${value}"${isChosen && html` selected`}>${text}</option>`
  return html`<details class="filters panel"${isChanged && html` open`}><summary>${browse.filters}</summary><form class="narrowing tiles" action="${path}">
${hiddenFields(kept)}
<p class="choice"><label for="kind">${texts.kind}</label><select id="kind" name="kind">${option('', texts.everyKind, filter.kind === undefined)}${WORK_KINDS.map(
    (kind) => option(KINDS[kind].path, kinds[kind], filter.kind === kind),
  )}</select></p>
<p class="choice"><label for="title-part">${texts.find}</label><input id="title-part" type="search" name="q" value="${filter.title ?? ''}" maxlength="300" autocomplete="off"></p>
<p class="choice long"><label for="sort">${texts.order}</label><select id="sort" name="sort">${Object.entries(
    orders,
  ).map(([name, text]) => option(name, text, name === sort.order))}</select></p>
${
  labels.length > 0 &&
  html`<p class="choice"><label for="label">${texts.label}</label><select id="label" name="label">${option('', texts.everyLabel, filter.label === undefined)}${labels.map(
    (label) => option(label, label, label === filter.label),
  )}</select></p>`
}
<p class="choice send"><button class="secondary">${texts.show}</button></p>
</form></details>`
}

/** Returns the titles of a work reference; empty for a work the catalog no longer has. */
export function workTitles(
  context: PageContext,
  work: Parameters<typeof shownNames>[1] | null,
): [main: ShownTitle, other?: ShownTitle] | [] {
  return work ? shownNames(context, work) : []
}
