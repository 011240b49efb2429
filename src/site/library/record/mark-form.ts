import { KINDS, type WorkKind } from '../../../catalog/kinds.ts'
import { WHOLE_POINTS } from '../../../catalog/whole-points.ts'
import { hiddenFields } from '../../../ui/forms/forms.ts'
import { loadedField } from '../../../ui/forms/form-state.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { Messages } from '../../../ui/messages.ts'
import { STATUSES, type Status } from '../../../ratings/fields.ts'

/**
 * Address that shows and takes the record of a work.
 *
 * @param back address of the page to return to after saving
 */
export const recordAddress = (kind: WorkKind, id: number, back?: string) =>
  `/library/${KINDS[kind].path}/${id}${back === undefined ? '' : `?${new URLSearchParams({ back }).toString()}`}`

/** What a status is called of works of a kind; of several kinds, in general. */
export const statusWords = ({ library }: Messages, kind: WorkKind | undefined) =>
  library.statuses[kind === undefined ? 'any' : kind === 'galgame' ? 'game' : 'book']

const SCORES = WHOLE_POINTS.toReversed()

export type MarkFormOptions = {
  kind: WorkKind
  id: number
  title: string
  /** What is recorded now; undefined: the work is not on the list. */
  record: { status: Status | null; rate: number | null } | undefined
  /** The address of this page, to which the answer leads. */
  back: string
  /** The way to undo what was just done. */
  undo?: Html | undefined
  /** In the panel of a card: with the way to collections. */
  isPanel?: boolean
}

/**
 * Status and score of a work in one gesture: a form that script sends as soon as one is chosen, and then has the whole part
 * anew from the address that `data-own` says, with the way to undo it. The other attributes are for the mark on a card.
 */
export function markForm(
  context: PageContext,
  { undo, isPanel = false, ...options }: MarkFormOptions,
): Html {
  const { kind, id, record, back } = options
  const parameters = new URLSearchParams({ back, ...(isPanel && { panel: '1' }) })
  const address = `${recordAddress(kind, id)}/mark?${parameters.toString()}`
  const collections = `/library/collections/of/${KINDS[kind].path}/${id}?${new URLSearchParams({ back }).toString()}`
  const word = record && statusWord(context.messages, kind, record.status)
  return html`<div class="marking" data-own="${address}" data-status="${record ? (record.status ?? 'none') : ''}" data-word="${word}">${form(context, options)}${undo}${isPanel && html`<a class="own-edit tap" href="${collections}" data-menu-link>${context.messages.collectionPage.menu}</a>`}</div>`
}

/** What the mark of a work says that is on the list. */
const statusWord = (messages: Messages, kind: WorkKind, status: Status | null): string =>
  status === null ? messages.library.onList : statusWords(messages, kind)[status]

function form(
  { messages, csrfField }: PageContext,
  { kind, id, title, record, back }: Omit<MarkFormOptions, 'undo' | 'isPanel'>,
): Html {
  const { library: words } = messages
  const names = statusWords(messages, kind)
  const rate = record?.rate ?? null
  // One with a decimal stands beside the whole ones.
  const scores =
    rate === null || SCORES.includes(rate) ? SCORES : [rate, ...SCORES].toSorted((a, b) => b - a)
  const key = `${kind}-${id}`
  return html`<form class="mark-form" method="post" action="${recordAddress(kind, id)}/mark" data-mark>
${csrfField()}${hiddenFields({ back })}${loadedField({ status: record?.status ?? null, rate })}
<label class="unseen" for="status-${key}">${words.status}: ${title}</label>
<select id="status-${key}" name="status" class="status-${record?.status ?? 'none'}">${
    (record === undefined || record.status === null) &&
    html`<option value="">${record ? words.noStatus : words.add}</option>`
  }${STATUSES.map(
    (status) =>
      html`<option value="${status}"${record?.status === status && html` selected`}>${names[status]}</option>`,
  )}</select>
<label class="unseen" for="rate-${key}">${words.score}: ${title}</label>
<select id="rate-${key}" name="rate" class="rate"><option value="">${words.noScore}</option>${scores.map(
    (score) =>
      html`<option value="${score}"${score === rate && html` selected`}>★ ${score}</option>`,
  )}</select>
<button class="secondary" aria-label="${words.saveOf({ title })}">${words.save}</button>
</form>`
}
