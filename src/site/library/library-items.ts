import { KINDS } from '../../catalog/kinds.ts'
import { shortDateElement, shortDayElement } from '../../ui/format-time.ts'
import { html, type Html } from '../../ui/html.ts'
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
import type { LibraryView } from './library-query.ts'
import { workTitles } from './library-view.ts'
import { durationOf } from './statistics/format-duration.ts'
import { ratingPath, statusLabels } from './rating/quick-rating.ts'
import { nextForm, volumesRead } from './rating/volume-form.ts'

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
<p class="entry-facts">${work.score}${item.year}${work.read} ${work.marks}</p></li>`
}

function itemTable(
  context: PageContext,
  items: LibraryItem[],
  { sort, sortPath, ...shown }: ShownItems,
): Html {
  const { library: texts, browse, kinds } = context.messages
  const isOwn = shown.back !== undefined
  const column = (label: string, by?: LibraryOrder) => {
    const sorted = by !== undefined && by === sort?.order && directionOf(by, sort.isReversed)
    return html`<th scope="col"${sorted && html` aria-sort="${sorted}ending"`}>${by !== undefined && sortPath ? html`<a href="${sortPath(by)}">${label}${sorted && html` <span aria-hidden="true">${sorted === 'asc' ? '↑' : '↓'}</span>`}</a>` : label}</th>`
  }
  return html`<table class="cards entries own-table"><thead><tr>${column(browse.columns.title, 'name')}${column(texts.kind)}${column(texts.status)}${column(texts.fields.rate, 'score')}${column(texts.released, 'date')}${isOwn && html`${column(texts.progress.ofProgress)}${column(texts.fields.finished_on, 'finished')}${column(texts.fields.minutes, 'time')}`}${column(texts.updated, 'recent')}</tr></thead><tbody>
${items.map((item) => {
  const work = partsOf(context, item, shown)
  return html`<tr id="${work.id}" data-item><td>${work.box}<a class="own-link" href="${work.path}">${work.title}</a> ${work.marks}</td><td data-label="${texts.kind}">${kinds[item.kind]}</td><td data-label="${texts.status}">${work.state()}</td><td data-label="${texts.fields.rate}">${work.score}</td><td data-label="${texts.released}">${item.year}</td>${isOwn && html`<td data-label="${texts.progress.ofProgress}">${work.read}</td><td data-label="${texts.fields.finished_on}">${item.finished_on !== null && shortDateElement(context.language, item.finished_on)}</td><td data-label="${texts.fields.minutes}">${item.minutes > 0 && durationOf(texts, item.minutes)}</td>`}<td data-label="${texts.updated}">${shortDayElement(context, item.updated_at)}</td></tr>`
})}
</tbody></table>`
}

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
  const read = [
    item.volumes_read > 0 && volumesRead(messages, item.volumes_read, totals?.get(id)),
    item.chapters_read > 0 && texts.progress.chapters({ read: item.chapters_read }),
  ].filter((text) => text !== false)
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
      nextForm(context, { kind, id, read: item, total: totals?.get(id), back }, title),
    read: html`${read.map((text) => html` <span class="own-read quiet">${text}</span>`)}`,
    /** @param more shown after the status */
    state: (more?: Html) =>
      back === undefined
        ? (word !== '' || more) && html`<span class="${tint}"><span>${word}</span>${more}</span>`
        : html`<a class="${tint}" href="${ratingPath(kind, id, back)}" data-mark-link><span>${word}</span>${more}<span class="unseen">: ${texts.editOf({ title })}</span></a>`,
    score: html`<span class="own-score">${rate !== null && scoreMark(messages, rate)}</span>`,
  }
}
