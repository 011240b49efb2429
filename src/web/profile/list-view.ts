import { html, type Html } from '../../pages/html.ts'
import type { PageContext } from '../../pages/page-context.ts'
import { STATUSES, type Status } from '../../ratings/fields.ts'
import type { LibraryItem } from '../../ratings/own/library-queries.ts'
import { addressWith } from '../components/address-with.ts'
import { chips } from '../components/chips.ts'
import { entryAddress } from '../components/entry-address.ts'
import { numberText } from '../components/number-text.ts'
import { pager } from '../components/pager.ts'
import type { LibraryAddress } from '../library/library-address.ts'
import { narrowing, shownTitlesOf } from '../library/library-view.ts'
import { statusWords } from '../library/mark-form.ts'
import { picture } from '../pictures/picture.ts'

export type PublicList = {
  path: string
  address: LibraryAddress
  page: number
  pageSize: number
  items: LibraryItem[]
  counts: Map<Status | null, number>
}

/** A reader's list as others see it: tabs by status, what narrows it, and a line a work. */
export function publicListView(context: PageContext, data: PublicList): Html {
  const { messages, language } = context
  const { library: words, profilePage } = messages
  const { path, address, page, pageSize, items, counts } = data
  const { filter, parameters } = address
  const all = [...counts.values()].reduce((sum, amount) => sum + amount, 0)
  const total = filter.status === undefined ? all : (counts.get(filter.status) ?? 0)
  const isNarrowed = filter.kind !== undefined || filter.title !== undefined || filter.status !== undefined
  if (all === 0 && !isNarrowed) return html`<p class="empty">${profilePage.empty.list}</p>`
  const names = statusWords(messages, filter.kind)
  const tab = (status: Status | undefined, text: string) => ({
    href: addressWith(path, parameters, { status: status ?? null }),
    text,
    amount: numberText(language, status === undefined ? all : (counts.get(status) ?? 0)),
    isCurrent: filter.status === status,
  })
  const addressOf = (number: number) =>
    addressWith(path, parameters, { page: number === 1 ? null : String(number) })
  return html`${chips(words.status, [tab(undefined, words.all), ...STATUSES.map((status) => tab(status, names[status]))])}
${narrowing(context, address, path, profilePage.order)}
${
  items.length === 0
    ? html`<div class="empty"><p>${profilePage.empty.list}</p><p><a class="button secondary" href="${path}">${words.all}</a></p></div>`
    : html`${publicLines(context, items)}
${pager(context, { page, last: Math.max(1, Math.ceil(total / pageSize)), addressOf })}`
}`
}

/** Works of a list with their status and score. */
export const publicLines = (context: PageContext, items: LibraryItem[]): Html =>
  html`<ul class="own-list public-list">${items.map((item) => line(context, item))}</ul>`

function line(context: PageContext, { kind, work_id: id, work, status, rate, year }: LibraryItem): Html {
  const { messages } = context
  const [main] = shownTitlesOf(context, work)
  const title = main?.text ?? `${messages.kinds[kind]} ${id}`
  const cover = picture({
    media: work?.image,
    kind,
    id,
    title,
    lang: main?.lang,
    shape: 'cover',
    sizes: '3.5rem',
    graded: 'guest',
    decorative: true,
  })
  return html`<li class="own-line"><a class="own-cover" href="${entryAddress(kind, id)}" tabindex="-1" aria-hidden="true">${cover}</a>
<div class="own-title"><a href="${entryAddress(kind, id)}"${main?.lang !== undefined && html` lang="${main.lang}"`}>${title}</a>
<p class="quiet">${[messages.kinds[kind], year].filter(Boolean).join(' · ')}</p></div>
<p class="line-facts">${status !== null && html`<span class="line-status status-${status}">${statusWords(messages, kind)[status]}</span>`}${
    rate !== null &&
    html`<span class="score"><span class="unseen">${messages.browse.score(rate.toFixed(1))}</span><span aria-hidden="true">★ ${rate.toFixed(1)}</span></span>`
  }</p></li>`
}
