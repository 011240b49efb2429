import { KINDS, type WorkKind } from '../../../catalog/kinds.ts'
import { WHOLE_POINTS } from '../../../catalog/whole-points.ts'
import { hiddenFields } from '../../../ui/forms/forms.ts'
import { formatScore } from '../../components/format-number.ts'
import { loadedField } from '../../../ui/forms/form-state.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { Messages } from '../../../ui/messages.ts'
import { STATUSES, type Status } from '../../../ratings/fields.ts'

/**
 * Returns the path of a rating's form.
 *
 * @param back path to return to after saving
 */
export const ratingPath = (kind: WorkKind, id: number, back?: string) =>
  `/library/${KINDS[kind].path}/${id}${back === undefined ? '' : `?${new URLSearchParams({ back }).toString()}`}`

/** Returns the status labels for a kind of work, or general ones. */
export const statusLabels = ({ library }: Messages, kind: WorkKind | undefined) =>
  library.statuses[kind === undefined ? 'any' : kind === 'galgame' ? 'game' : 'book']

/** Scores to choose from, in steps of half a point, the highest first. */
const SCORES = WHOLE_POINTS.flatMap((score) => [score, score + 0.5])
  .slice(0, -1)
  .toReversed()

export type QuickRatingOptions = {
  kind: WorkKind
  id: number
  title: string
  /** Stored rating; undefined if the work is not on the list. */
  record: { status: Status | null; rate: number | null } | undefined
  /** Path to return to. */
  back: string
  /** Form that undoes the last change. */
  undo?: Html | undefined
  /** Shown in the panel of a card, with links to the full form and to collections. */
  isPanel?: boolean
}

/**
 * Renders a form for a work's status and score. A script submits it on each change and then reloads the whole part
 * from the URL in `data-own`. The other data attributes update the mark on a card.
 */
export function quickRating(
  context: PageContext,
  { undo, isPanel = false, ...options }: QuickRatingOptions,
): Html {
  const { kind, id, record, back } = options
  const parameters = new URLSearchParams({ back, ...(isPanel && { panel: '1' }) })
  const path = `${ratingPath(kind, id)}/mark?${parameters.toString()}`
  const collections = `/library/collections/of/${KINDS[kind].path}/${id}?${new URLSearchParams({ back }).toString()}`
  return html`<div class="marking" data-own="${path}"${markData(context, kind, record)}>${form(context, options)}${undo}${isPanel && html`<a class="own-edit tap" href="${ratingPath(kind, id, back)}">${context.messages.library.edit}</a><a class="own-edit tap" href="${collections}" data-menu-link>${context.messages.collectionPage.menu}</a>`}</div>`
}

/** Renders the attributes of a form from which a script updates the mark on its card. */
export const markData = (
  { messages }: PageContext,
  kind: WorkKind,
  record: QuickRatingOptions['record'],
): Html =>
  html` data-status="${record ? (record.status ?? 'none') : ''}" data-word="${record && statusLabel(messages, kind, record.status)}" data-score="${record?.rate == null ? '' : formatScore(record.rate)}"`

/** Returns the label of a work that is on the list. */
const statusLabel = (messages: Messages, kind: WorkKind, status: Status | null): string =>
  status === null ? messages.library.onList : statusLabels(messages, kind)[status]

function form(
  { messages, csrfField }: PageContext,
  { kind, id, title, record, back }: Omit<QuickRatingOptions, 'undo' | 'isPanel'>,
): Html {
  const { library: texts } = messages
  const names = statusLabels(messages, kind)
  const rate = record?.rate ?? null
  // Any other score, such as 8.3, is added to the list.
  const scores =
    rate === null || SCORES.includes(rate) ? SCORES : [rate, ...SCORES].toSorted((a, b) => b - a)
  const key = `${kind}-${id}`
  return html`<form class="mark-form" method="post" action="${ratingPath(kind, id)}/mark" data-mark>
${csrfField()}${hiddenFields({ back })}${loadedField({ status: record?.status ?? null, rate })}
<label class="unseen" for="status-${key}">${texts.status}: ${title}</label>
<select id="status-${key}" name="status" class="status-${record?.status ?? 'none'}">${
    (record === undefined || record.status === null) &&
    html`<option value="">${record ? texts.noStatus : texts.add}</option>`
  }${STATUSES.map(
    (status) =>
      html`<option value="${status}"${record?.status === status && html` selected`}>${names[status]}</option>`,
  )}</select>
<label class="unseen" for="rate-${key}">${texts.score}: ${title}</label>
<select id="rate-${key}" name="rate" class="rate"><option value="">${texts.noScore}</option>${scores.map(
    (score) =>
      html`<option value="${score}"${score === rate && html` selected`}>${formatScore(score)}</option>`,
  )}</select>
<button class="secondary" aria-label="${texts.saveOf({ title })}">${texts.save}</button>
</form>`
}
