import type { LibraryItem } from '../../../ratings/own/lists/library-queries.ts'
import { hasVolumes } from '../../../ratings/progress/fields.ts'
import { KINDS } from '../../../catalog/kinds.ts'
import { hiddenFields } from '../../../ui/forms/forms.ts'
import { loadedField } from '../../../ui/forms/form-state.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { markData, ratingPath } from './quick-rating.ts'
import { volumesRead, type RaisedField } from './volume-form.ts'

/** A work in progress, and what the user has read of it. */
export type Step = Pick<
  LibraryItem,
  'kind' | 'status' | 'rate' | 'volumes_read' | 'chapters_read'
> & {
  id: number
  title: string
  /** Number of the work's volumes, if the catalog knows it. */
  total: number | undefined
  /** Path to return to. */
  back: string
}

/** Returns what a user has read of a work; empty if nothing. */
export const readText = (
  messages: Messages,
  { volumes_read: volumes, chapters_read: chapters }: Pick<Step, 'volumes_read' | 'chapters_read'>,
  total: number | undefined,
): string =>
  [
    volumes > 0 && volumesRead(messages, volumes, total),
    chapters > 0 && messages.library.progress.chapters({ read: chapters }),
  ]
    .filter((text) => text !== false)
    .join(' · ')

/**
 * Renders a button that adds the next volume or chapter of a work in progress, or that finishes the work after the last
 * volume. Manga are counted by chapter, unless only volumes have been counted. A script submits the form and then reloads
 * the part from the URL in `data-own`. The other data attributes update the card or row.
 */
export function nextStep(context: PageContext, step: Step): Html | undefined {
  const { kind, id, back, total } = step
  if (!hasVolumes(kind)) return undefined
  const parameters = new URLSearchParams({ back })
  return html`<div class="own-next" data-own="${ratingPath(kind, id)}/next?${parameters.toString()}"${markData(context, kind, step)} data-read="${readText(context.messages, step, total)}">${step.status === 'GOING' && stepForm(context, step)}</div>`
}

function stepForm({ messages, csrfField }: PageContext, step: Step): Html {
  const { kind, id, status, total = Infinity, volumes_read: volumes, back, title } = step
  const { progress: texts } = messages.library
  const form = (path: string, sign: string, label: string, fields: Record<string, string>) =>
    html`<form method="post" action="/library/${KINDS[kind].path}/${id}/${path}" data-step>${csrfField()}${hiddenFields({ back, ...fields })}${path === 'mark' && loadedField({ status })}<button class="secondary" name="step" title="${label}" aria-label="${label}: ${title}">${sign}</button></form>`
  const isByChapter = kind === 'manga' && (step.chapters_read > 0 || volumes === 0)
  if (!isByChapter && volumes >= total)
    return form('mark', '✓', texts.finish, { status: 'COMPLETED' })
  const field: RaisedField = isByChapter ? 'chapters_read' : 'volumes_read'
  const label = isByChapter ? texts.addChapter : texts.addVolume
  return form('volume', '+1', label, { field, from: String(step[field]) })
}
