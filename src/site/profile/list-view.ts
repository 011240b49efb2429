import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { STATUSES, type Status } from '../../ratings/fields.ts'
import type { LibraryItem } from '../../ratings/own/lists/library-queries.ts'
import { pathWith } from '../components/path-with.ts'
import { chips } from '../components/chips.ts'
import { entryPath } from '../components/entry-path.ts'
import { formatNumber } from '../components/format-number.ts'
import { pager } from '../components/pager.ts'
import type { LibraryQuery } from '../library/library-query.ts'
import { libraryFilterForm, workTitles } from '../library/library-view.ts'
import { statusLabels } from '../library/rating/quick-rating.ts'
import { picture } from '../pictures/picture.ts'

export type PublicList = {
  path: string
  query: LibraryQuery
  page: number
  pageSize: number
  items: LibraryItem[]
  counts: Map<Status | null, number>
}

/** Renders a user's public list: tabs by status, filters, and one line per work. */
export function publicListView(context: PageContext, data: PublicList): Html {
  const { messages, language } = context
  const { library: texts, profilePage } = messages
  const { path, query, page, pageSize, items, counts } = data
  const { filter, parameters } = query
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const total = filter.status === undefined ? all : (counts.get(filter.status) ?? 0)
  const isNarrowed =
    filter.kind !== undefined || filter.title !== undefined || filter.status !== undefined
  if (all === 0 && !isNarrowed) return html`<p class="empty">${profilePage.empty.list}</p>`
  const names = statusLabels(messages, filter.kind)
  const tab = (status: Status | undefined, text: string) => ({
    href: pathWith(path, parameters, { status: status ?? null }),
    text,
    amount: formatNumber(language, status === undefined ? all : (counts.get(status) ?? 0)),
    isCurrent: filter.status === status,
  })
  const pathOf = (number: number) =>
    pathWith(path, parameters, { page: number === 1 ? null : String(number) })
  return html`${chips(texts.status, [tab(undefined, texts.all), ...STATUSES.map((status) => tab(status, names[status]))])}
${libraryFilterForm(context, query, path, profilePage.order)}
${
  items.length === 0
    ? html`<div class="empty"><p>${profilePage.empty.list}</p><p><a class="button secondary" href="${path}">${texts.all}</a></p></div>`
    : html`${publicLines(context, items)}
${pager(context, { page, last: Math.max(1, Math.ceil(total / pageSize)), pathOf })}`
}`
}

const publicLines = (context: PageContext, items: LibraryItem[]): Html =>
  html`<ul class="own-list public-list panel rows">${items.map((item) => {
    const { title, lang, address, facts } = shownItem(context, item)
    return html`<li class="own-line"><a class="own-cover" href="${address}" tabindex="-1" aria-hidden="true">${coverOf(context, item, title, lang, '3.5rem')}</a>
<div class="own-title"><a href="${address}"${lang !== undefined && html` lang="${lang}"`}>${title}</a>
<p class="quiet">${facts}</p></div>
${ratingLine(context, item)}</li>`
  })}</ul>`

/** Renders the works as a grid of covers. */
export const publicCards = (context: PageContext, items: LibraryItem[]): Html =>
  html`<ul class="grid of-cover">${items.map((item) => {
    const { title, lang, address } = shownItem(context, item)
    return html`<li class="entry"><a href="${address}">${coverOf(context, item, title, lang, '(min-width: 64rem) 12rem, 45vw')}<span class="entry-title"${lang !== undefined && html` lang="${lang}"`}>${title}</span></a>${ratingLine(context, item)}</li>`
  })}</ul>`

function shownItem(context: PageContext, { kind, work_id: id, work, year }: LibraryItem) {
  const { kinds } = context.messages
  const [main] = workTitles(context, work)
  return {
    title: main?.text ?? `${kinds[kind]} ${id}`,
    lang: main?.lang,
    address: entryPath(kind, id),
    facts: [kinds[kind], year].filter(Boolean).join(' · '),
  }
}

const coverOf = (
  context: PageContext,
  { kind, work_id: id, work }: LibraryItem,
  title: string,
  lang: string | undefined,
  sizes: string,
): Html =>
  picture(context, {
    media: work?.image,
    kind,
    id,
    title,
    lang,
    shape: 'cover',
    sizes,
    graded: 'guest',
    decorative: true,
  })

const ratingLine = ({ messages }: PageContext, { kind, status, rate }: LibraryItem): Html =>
  html`<p class="line-facts cluster">${status !== null && html`<span class="line-status status-${status}">${statusLabels(messages, kind)[status]}</span>`}${
    rate !== null &&
    html`<span class="score"><span class="unseen">${messages.browse.score({ score: rate.toFixed(1) })}</span><span aria-hidden="true">★ ${rate.toFixed(1)}</span></span>`
  }</p>`
