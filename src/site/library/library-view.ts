import { KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { STATUSES, type Status } from '../../ratings/fields.ts'
import {
  LIBRARY_ORDERS,
  type LibraryItem,
  type LibraryOrder,
} from '../../ratings/own/lists/library-queries.ts'
import { pathWith } from '../components/path-with.ts'
import { chips } from '../components/chips.ts'
import { entryPath } from '../components/entry-path.ts'
import { formatNumber } from '../components/format-number.ts'
import { pager } from '../components/pager.ts'
import { shownNames, type ShownTitle } from '../components/titles.ts'
import { picture } from '../pictures/picture.ts'
import type { LibraryQuery } from './library-query.ts'
import { quickRating, ratingPath, statusLabels } from './rating/quick-rating.ts'

const PATH = '/library'
/** Id of the form that changes several works at once. */
const BULK_FORM_ID = 'chosen'

export type LibraryData = {
  query: LibraryQuery
  page: number
  pageSize: number
  items: LibraryItem[]
  counts: Map<Status | null, number>
  /** Confirmation of the last change, with a button to undo it. */
  notice: Html | undefined
}

/**
 * Renders the user's list: tabs by status, filters, and one line per work with a form that changes
 * its rating in place.
 */
export function libraryView(context: PageContext, data: LibraryData): View {
  const { messages, language } = context
  const { library: texts } = messages
  const { query, page, pageSize, items, counts, notice } = data
  const { filter, parameters } = query
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const total = filter.status === undefined ? all : (counts.get(filter.status) ?? 0)
  const isNarrowed = filter.kind !== undefined || filter.title !== undefined
  const names = statusLabels(messages, filter.kind)
  const tab = (status: Status | null | undefined, value: string | null, text: string) => ({
    href: pathWith(PATH, parameters, { status: value }),
    text,
    amount: formatNumber(language, status === undefined ? all : (counts.get(status) ?? 0)),
    isCurrent: filter.status === status,
  })
  const tabs = [
    tab(undefined, null, texts.all),
    ...STATUSES.map((status) => tab(status, status, names[status])),
    ...(counts.has(null) || filter.status === null ? [tab(null, 'none', texts.noStatus)] : []),
  ]
  const back = pathWith(PATH, parameters, { page: page > 1 ? String(page) : null })
  const pathOf = (number: number) =>
    pathWith(PATH, parameters, { page: number === 1 ? null : String(number) })
  return {
    title: texts.title,
    head: { robots: 'noindex' },
    body: html`<div class="list-head cluster"><h1>${texts.title}</h1><p class="ways"><a href="/library/statistics">${texts.statistics}</a><a href="/library/history">${texts.history}</a><a href="/library/collections">${messages.profilePage.parts.collections}</a><a href="/library/profile">${messages.profilePage.settings}</a><a href="/library/import">${messages.importPage.title}</a><a href="/library/export.csv" download>${texts.export} (CSV)</a><a href="/library/export.json" download>${texts.export} (JSON)</a></p></div>
${notice}
${
  all === 0 && !isNarrowed
    ? html`<div class="empty"><p>${texts.empty}</p><p class="quiet">${texts.emptyHint}</p><p><a class="button" href="/light-novels">${texts.emptyAction}</a> <a class="button secondary" href="/library/import">${messages.importPage.title}</a></p></div>`
    : html`${chips(texts.status, tabs)}
${libraryFilterForm(context, query, PATH)}
${
  items.length === 0
    ? html`<div class="empty"><p>${texts.emptyHere}</p><p><a class="button secondary" href="${PATH}">${texts.all}</a></p></div>`
    : html`${table(context, items, back)}
${pager(context, { page, last: Math.max(1, Math.ceil(total / pageSize)), pathOf })}
${bulkChangeForm(context, back)}`
}`
}`,
  }
}

/**
 * Renders a form that filters a list by kind and title, and orders it.
 *
 * @param path path of the list
 * @param orders labels of the orders
 */
export function libraryFilterForm(
  { messages }: PageContext,
  { filter, order, parameters }: LibraryQuery,
  path: string,
  orders: Record<LibraryOrder, string> = messages.library.orders,
): Html {
  const { library: texts, kinds } = messages
  const status = parameters.get('status')
  const option = (value: string, text: string, isChosen: boolean) =>
    html`<option value="${value}"${isChosen && html` selected`}>${text}</option>`
  return html`<form class="narrowing tiles" action="${path}">
${status !== null && html`<input type="hidden" name="status" value="${status}">`}
<p class="choice"><label for="kind">${texts.kind}</label><select id="kind" name="kind">${option('', texts.everyKind, filter.kind === undefined)}${WORK_KINDS.map(
    (kind) => option(KINDS[kind].path, kinds[kind], filter.kind === kind),
  )}</select></p>
<p class="choice"><label for="title-part">${texts.find}</label><input id="title-part" type="search" name="q" value="${filter.title ?? ''}" maxlength="300" autocomplete="off"></p>
<p class="choice"><label for="sort">${texts.order}</label><select id="sort" name="sort">${LIBRARY_ORDERS.map(
    (name) => option(name, orders[name], name === order),
  )}</select></p>
<p class="choice send"><button class="secondary">${texts.show}</button></p>
</form>`
}

function table(context: PageContext, items: LibraryItem[], back: string): Html {
  return html`<ul class="own-list panel rows">${items.map((item) => line(context, item, back))}</ul>`
}

function line(context: PageContext, item: LibraryItem, back: string): Html {
  const { messages } = context
  const { library: texts } = messages
  const { kind, work_id: id, work, status, rate, nsfw } = item
  // Without access to the work, its page and picture are not shown.
  const isSeen = !nsfw || (context.viewer?.nsfw ?? false)
  const path = isSeen ? entryPath(kind, id) : ratingPath(kind, id, back)
  const [main] = workTitles(context, work)
  const title = main?.text ?? `${messages.kinds[kind]} ${id}`
  const facts = [messages.kinds[kind], item.year].filter(Boolean).join(' · ')
  const cover = picture(context, {
    media: isSeen ? work?.image : null,
    kind,
    id,
    title,
    lang: main?.lang,
    shape: 'cover',
    sizes: '3.5rem',
    graded: 'guest',
    decorative: true,
  })
  return html`<li class="own-line" id="${kind}-${id}">
<label class="pick"><input type="checkbox" name="work" value="${KINDS[kind].path}/${id}" form="${BULK_FORM_ID}"><span class="unseen">${texts.select({ title })}</span></label>
<a class="own-cover" href="${path}" tabindex="-1" aria-hidden="true">${cover}</a>
<div class="own-title"><a href="${path}"${main?.lang !== undefined && html` lang="${main.lang}"`}>${title}</a>
<p class="quiet">${work === null ? texts.gone : facts}${nsfw && html` <span class="adult" title="${messages.browse.adults}">${messages.browse.adultsMark}</span>`}${item.status_private && html` <span class="tag">${texts.isPrivate}</span>`}${item.has_review && html` <span class="tag">${texts.hasReview}</span>`}</p></div>
${quickRating(context, { kind, id, title, record: { status, rate }, back })}
<a class="own-edit tap" href="${ratingPath(kind, id, back)}" aria-label="${texts.editOf({ title })}">${texts.edit}</a>
</li>`
}

/** Returns the titles of a work reference; empty for a work the catalog no longer has. */
export function workTitles(
  context: PageContext,
  work: Parameters<typeof shownNames>[1] | null,
): [main: ShownTitle, other?: ShownTitle] | [] {
  return work ? shownNames(context, work) : []
}

function bulkChangeForm({ messages, csrfField }: PageContext, back: string): Html {
  const { library: texts } = messages
  return html`<form class="several divided" id="${BULK_FORM_ID}" method="post" action="/library/several">
${csrfField()}<input type="hidden" name="back" value="${back}">
<p class="choice"><label for="to-status">${texts.withChosen}</label><select id="to-status" name="status">${STATUSES.map(
    (status) => html`<option value="${status}">${texts.statuses.any[status]}</option>`,
  )}</select></p>
<p class="choice send cluster"><button class="secondary" name="act" value="status">${texts.setStatus}</button> <button class="plain danger" name="act" value="remove">${texts.remove}</button></p>
</form>`
}
