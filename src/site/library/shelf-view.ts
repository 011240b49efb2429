import { hiddenFields } from '../../ui/forms/forms.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { STATUSES, type Status } from '../../ratings/fields.ts'
import type { LibraryItem } from '../../ratings/own/lists/library-queries.ts'
import { formatNumber } from '../components/format-number.ts'
import { pager } from '../components/pager.ts'
import { pathWith } from '../components/path-with.ts'
import { BULK_FORM_ID, columnNames, libraryItems, type ShownItems } from './library-items.ts'
import { TABLE_COLUMNS, COLUMNS_PARAMETER, isGrouped, type LibraryQuery } from './library-query.ts'
import {
  countAll,
  libraryFilterForm,
  LIST_PAGE_SIZE,
  sortedBy,
  statusTabs,
  viewLinks,
  type StatusCounts,
} from './library-view.ts'
import { statusLabels } from './rating/quick-rating.ts'

const PATH = '/library'

export type LibraryData = {
  query: LibraryQuery
  page: number
  items: LibraryItem[]
  /** Maps works to their number of volumes, if the catalog knows it. */
  totals: ReadonlyMap<number, number>
  counts: StatusCounts
  /** The user's labels. */
  labels: string[]
  /** Confirmation of the last change, with a button to undo it. */
  notice: Html | undefined
}

/** Renders the user's list: tabs by status, filters, and the works in the view that the user chose. */
export function libraryView(context: PageContext, data: LibraryData): View {
  const { messages } = context
  const { library: texts } = messages
  const { query, items, counts, labels, notice } = data
  const { filter } = query
  const isNarrowed = [filter.kind, filter.title, filter.label].some((value) => value !== undefined)
  const isEmpty = countAll(counts) === 0 && !isNarrowed
  return {
    title: texts.title,
    head: { robots: 'noindex' },
    body: html`<div class="list-head cluster"><h1>${texts.title}</h1>${!isEmpty && viewLinks(context, PATH, query)}</div>
${listLinks(context, query, counts)}
${notice}
${
  isEmpty
    ? html`<div class="empty"><p>${texts.empty}</p><p class="quiet">${texts.emptyHint}</p><p><a class="button" href="/light-novels">${texts.emptyAction}</a> <a class="button secondary" href="${PATH}/import">${messages.importPage.title}</a></p></div>`
    : html`${statusTabs(context, PATH, query, counts, counts.has(null) || filter.status === null)}
${libraryFilterForm(context, query, PATH, { orders: texts.orders, labels })}
${items.length === 0 ? html`<div class="empty"><p>${texts.emptyHere}</p><p><a class="button secondary" href="${PATH}">${texts.all}</a></p></div>` : shelf(context, data)}`
}`,
  }
}

/** Renders the links of a list. Less common ones are in a menu. */
function listLinks(context: PageContext, query: LibraryQuery, counts: StatusCounts): Html {
  const { messages } = context
  const { library: texts } = messages
  const link = (path: string, text: string) => html`<a href="${PATH}/${path}">${text}</a>`
  const file = (format: 'csv' | 'json') =>
    html`<a href="${PATH}/export.${format}" download>${texts.export} (${format.toUpperCase()})</a>`
  const random = pathWith(`${PATH}/random`, new URLSearchParams(), {
    kind: query.parameters.get('kind'),
  })
  const rest = [
    (counts.get('PLAN') ?? 0) > 0 &&
      html`<a href="${random}" rel="nofollow">${messages.random.plan}</a>`,
    link('import', messages.importPage.title),
    link('history', texts.history),
    link('timeline', messages.following.timeline),
    link('following', messages.following.title),
    link('notifications', messages.notificationPage.title),
    link('profile', messages.profilePage.settings),
    html`<a href="/account/feeds">${messages.accountFeeds.title}</a>`,
    file('csv'),
    file('json'),
  ].filter((item) => item !== false)
  return html`<div class="ways list-ways">${link('diary', texts.diary.title)}${link('statistics', texts.statistics)}${link('collections', messages.profilePage.parts.collections)}<details class="drop"><summary>${texts.more}</summary><ul class="panel">${rest.map((item) => html`<li>${item}</li>`)}</ul></details></div>`
}

/** Renders the works of a page, its pager, and the form that changes the selected works. */
function shelf(context: PageContext, { query, page, items, totals, counts }: LibraryData): Html {
  const { messages } = context
  const { filter, parameters, sort, view } = query
  const pathOf = (number: number) =>
    pathWith(PATH, parameters, { page: number === 1 ? null : String(number) })
  const back = pathOf(page)
  const shown: ShownItems = {
    view,
    names: statusLabels(messages, filter.kind),
    back,
    totals,
    sort,
    columns: query.columns,
    sortPath: sortedBy(PATH, parameters, sort),
  }
  const total = filter.status === undefined ? countAll(counts) : (counts.get(filter.status) ?? 0)
  return html`<div class="own-shelf" data-words="${JSON.stringify({ ...shown.names, none: messages.library.noStatus })}">
<p class="hint panel" data-keys hidden>${messages.library.keys}</p>
${view === 'table' && columnsMenu(context, query)}
${isGrouped(query) ? groups(context, items, counts, shown) : libraryItems(context, items, shown)}
${pager(context, { page, last: Math.max(1, Math.ceil(total / LIST_PAGE_SIZE)), pathOf })}
${bulkBar(context, back)}
</div>`
}

/** Renders the menu that chooses the columns of the table. */
function columnsMenu({ messages }: PageContext, { columns, parameters }: LibraryQuery): Html {
  const { library: texts } = messages
  const names = columnNames(messages)
  return html`<details class="drop own-columns"><summary>${texts.columns}</summary><form class="panel" action="${PATH}">${hiddenFields(Object.fromEntries(parameters))}<input type="hidden" name="${COLUMNS_PARAMETER}" value="title">${TABLE_COLUMNS.map(
    (name) =>
      html`<label class="check"><input type="checkbox" name="${COLUMNS_PARAMETER}" value="${name}"${columns.includes(name) && html` checked`}><span>${names[name]}</span></label>`,
  )}<button class="secondary">${texts.show}</button></form></details>`
}

/** Renders the works of each status below a heading with the number of all its works. */
function groups(
  context: PageContext,
  items: LibraryItem[],
  counts: StatusCounts,
  shown: ShownItems,
): Html[] {
  const { language, messages } = context
  const heading = (status: Status | null) =>
    status === null ? messages.library.noStatus : shown.names[status]
  return [...STATUSES, null].flatMap((status) => {
    const found = items.filter((item) => item.status === status)
    if (found.length === 0) return []
    return html`<section class="own-group"><h2>${heading(status)} <span class="amount quiet">${formatNumber(language, counts.get(status) ?? 0)}</span></h2>
${libraryItems(context, found, shown)}</section>`
  })
}

/**
 * Renders the bar that changes all selected works. A script counts them, and shows the bar while at
 * least one is selected.
 */
function bulkBar({ messages, csrfField }: PageContext, back: string): Html {
  const { library: texts } = messages
  const [before, after] = texts.chosen({ amount: PLACEHOLDER }).split(PLACEHOLDER)
  return html`<form class="bulk panel cluster" id="${BULK_FORM_ID}" method="post" action="${PATH}/several">
${csrfField()}<input type="hidden" name="back" value="${back}">
<p class="chosen" hidden>${before}<span></span>${after}</p>
<label class="unseen" for="to-status">${texts.withChosen}</label><select id="to-status" name="status">${STATUSES.map(
    (status) => html`<option value="${status}">${texts.statuses.any[status]}</option>`,
  )}</select><button class="secondary" name="act" value="status">${texts.setStatus}</button><button class="plain danger" name="act" value="remove">${texts.remove}</button>
</form>`
}

/** Placeholder in a message for the number that a script inserts. */
const PLACEHOLDER = '\u{FFFC}'
