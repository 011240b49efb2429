import { KINDS } from '../../catalog/kinds.ts'
import { shortDateElement, shortDayElement } from '../../ui/format-time.ts'
import { html, type Html, type Part } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { Status } from '../../ratings/fields.ts'
import {
  directionOf,
  type LibraryItem,
  type LibraryOrder,
  type LibrarySort,
} from '../../ratings/own/lists/library-queries.ts'
import { entryPath } from '../components/entry-path.ts'
import { scoreMark } from '../components/format-number.ts'
import { picture } from '../pictures/picture.ts'
import type { TableColumn, LibraryView } from './library-query.ts'
import { workTitles } from './library-view.ts'
import { durationOf } from './statistics/format-duration.ts'
import { ratingPath, statusLabels } from './rating/quick-rating.ts'
import { nextStep, readText } from './rating/next-step.ts'

/** Id of the form that changes several works at once. */
export const BULK_FORM_ID = 'chosen'

/** How the works of a list are shown. */
export type ShownItems = {
  view: LibraryView
  /** Labels of the statuses, the same as on the tabs of the list. */
  names: Record<Status, string>
  /** Path to return to after an edit; undefined for a list of another user. */
  back?: string | undefined
  /** Maps works to their number of volumes, if the catalog knows it. */
  totals?: ReadonlyMap<number, number>
  sort?: LibrarySort
  /** Columns of the table besides the title. */
  columns?: readonly TableColumn[]
  /** Returns the path of the same list sorted by a column; undefined if the list cannot be sorted. */
  sortPath?: (order: LibraryOrder) => string
}

/** Renders the works of a list as covers, compact rows or a table. */
export function libraryItems(context: PageContext, items: LibraryItem[], shown: ShownItems): Html {
  if (shown.view === 'table') return itemTable(context, items, shown)
  const isRows = shown.view === 'rows'
  const item = isRows ? row : cover
  return html`<ul class="${isRows ? 'own-rows panel rows' : 'grid of-cover'}">${items.map((work) => item(context, work, shown))}</ul>`
}

/** Renders a few works as covers, with the user's status and score. */
export const libraryCovers = (context: PageContext, items: LibraryItem[]): Html =>
  libraryItems(context, items, { view: 'covers', names: statusLabels(context.messages, undefined) })

function row(context: PageContext, item: LibraryItem, shown: ShownItems): Html {
  const work = partsOf(context, item, shown)
  return html`<li class="own-row" id="${work.id}" data-item>${work.box}<a class="own-link" href="${work.path}">${work.image('1.75rem')}<span class="own-titles cluster">${work.title}${work.read}</span></a>${work.next}<span class="own-facts quiet">${work.marks}<span>${work.facts}</span></span>${work.state(work.score)}</li>`
}

function cover(context: PageContext, item: LibraryItem, shown: ShownItems): Html {
  const work = partsOf(context, item, shown)
  return html`<li class="entry" id="${work.id}" data-item>${work.box}<a class="own-link" href="${work.path}">${work.image('(min-width: 64rem) 12rem, 45vw')}<span class="entry-title">${work.title}</span></a>${work.state()}
<p class="entry-facts">${work.score}${item.year}${work.read} ${work.marks}</p>${work.next}</li>`
}

function itemTable(
  context: PageContext,
  items: LibraryItem[],
  { sort, sortPath, columns = [], ...shown }: ShownItems,
): Html {
  const { library: texts, browse } = context.messages
  const names = columnNames(context.messages)
  const heading = (label: string, by?: LibraryOrder) => {
    const sorted = by !== undefined && by === sort?.order && directionOf(by, sort.isReversed)
    return html`<th scope="col"${sorted && html` aria-sort="${sorted}ending"`}>${by !== undefined && sortPath ? html`<a href="${sortPath(by)}">${label}${sorted && html` <span aria-hidden="true">${sorted === 'asc' ? '↑' : '↓'}</span>`}</a>` : label}</th>`
  }
  return html`<table class="cards entries own-table"><thead><tr>${heading(browse.columns.title, 'name')}${columns.map((name) => heading(names[name], COLUMN_ORDERS[name]))}</tr></thead><tbody>
${items.map((item) => {
  const work = partsOf(context, item, shown)
  const day = (date: string | null) => date !== null && shortDateElement(context.language, date)
  const cells: Record<TableColumn, Part> = {
    kind: context.messages.kinds[item.kind],
    status: work.state(),
    rate: work.score,
    released: item.year,
    progress: html`${work.read}${work.next}`,
    started_on: day(item.started_on),
    finished_on: day(item.finished_on),
    times_finished: item.times_finished > 0 && String(item.times_finished),
    minutes: item.minutes > 0 && durationOf(texts, item.minutes),
    labels: html`<span class="own-labels">${item.labels.join(', ')}</span>`,
    updated: shortDayElement(context, item.updated_at),
  }
  return html`<tr id="${work.id}" data-item><td>${work.box}<a class="own-link" href="${work.path}">${work.title}</a> ${work.marks}</td>${columns.map((name) => html`<td data-label="${names[name]}">${cells[name]}</td>`)}</tr>`
})}
</tbody></table>`
}

/** Orders by which the columns of a table sort. */
const COLUMN_ORDERS: Partial<Record<TableColumn, LibraryOrder>> = {
  rate: 'score',
  released: 'date',
  finished_on: 'finished',
  minutes: 'time',
  labels: 'label',
  updated: 'recent',
}

/** Returns the headings of the columns. */
export const columnNames = ({ library: texts }: Messages): Record<TableColumn, string> => ({
  kind: texts.kind,
  status: texts.status,
  rate: texts.fields.rate,
  released: texts.released,
  progress: texts.progress.ofProgress,
  started_on: texts.fields.started_on,
  finished_on: texts.fields.finished_on,
  times_finished: texts.fields.times_finished,
  minutes: texts.fields.minutes,
  labels: texts.fields.labels,
  updated: texts.updated,
})

/** Renders the parts of a work that all views share. */
function partsOf(context: PageContext, item: LibraryItem, { names, back, totals }: ShownItems) {
  const { messages } = context
  const { library: texts } = messages
  const { kind, work_id: id, work, status, rate, nsfw } = item
  // Without access to the work, its page and picture are not shown.
  const isSeen = back === undefined || !nsfw || (context.viewer?.nsfw ?? false)
  const [main] = workTitles(context, work)
  const title = main?.text ?? `${messages.kinds[kind]} ${id}`
  const word = status === null ? (back === undefined ? '' : texts.noStatus) : names[status]
  const total = totals?.get(id)
  const tint = `on-list status-${status ?? 'none'}`
  return {
    id: `${kind}-${id}`,
    path: isSeen ? entryPath(kind, id) : ratingPath(kind, id, back),
    title: html`<span class="own-name"${main?.lang !== undefined && html` lang="${main.lang}"`}>${title}</span>`,
    box:
      back !== undefined &&
      html`<label class="pick"><input type="checkbox" name="work" value="${KINDS[kind].path}/${id}" form="${BULK_FORM_ID}"><span class="unseen">${texts.select({ title })}</span></label>`,
    image: (sizes: string) =>
      picture(context, {
        media: isSeen ? work?.image : null,
        kind,
        id,
        title,
        lang: main?.lang,
        shape: 'cover',
        sizes,
        graded: 'guest',
        decorative: true,
      }),
    marks: html`${work === null && html`<span class="tag">${texts.gone}</span> `}${nsfw && html`<span class="adult" title="${messages.browse.adults}">${messages.browse.adultsMark}</span> `}${back !== undefined && html`${item.status_private && html`<span class="tag own-private">${texts.isPrivate}</span> `}${item.has_review && html`<span class="tag">${texts.hasReview}</span>`}`}`,
    facts: [messages.kinds[kind], item.year].filter(Boolean).join(' · '),
    next:
      back !== undefined &&
      status === 'GOING' &&
      nextStep(context, { ...item, id, title, total, back }),
    read: html` <span class="own-read quiet">${readText(messages, item, total)}</span>`,
    /** @param more shown after the status */
    state: (more?: Html) =>
      back === undefined
        ? (word !== '' || more) && html`<span class="${tint}"><span>${word}</span>${more}</span>`
        : html`<a class="${tint}" href="${ratingPath(kind, id, back)}" data-mark-link><span>${word}</span>${more}<span class="unseen">: ${texts.editOf({ title })}</span></a>`,
    score: html`<span class="own-score">${rate !== null && scoreMark(messages, rate)}</span>`,
  }
}
