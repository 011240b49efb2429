import type { WorkKind } from '../../../catalog/kinds.ts'
import { hiddenFields } from '../../../ui/forms/forms.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import {
  DEFAULT_RATING,
  hasTimeToFinish,
  MAX_REVIEW_LENGTH,
  STATUSES,
  SUB_SCORES,
  type RatingChange,
} from '../../../ratings/fields.ts'
import { entryPath } from '../../components/entry-path.ts'
import type { ShownTitle } from '../../components/titles.ts'
import { userText } from '../../entry/texts.ts'
import { picture, type PictureOptions } from '../../pictures/picture.ts'
import type { ProgressChange } from '../../../ratings/progress/fields.ts'
import { ratingField } from './field-view.ts'
import { progressFields } from './progress-fields-view.ts'
import { ratingPath, statusLabels } from './quick-rating.ts'

export type RatingFormData = {
  kind: WorkKind
  id: number
  title: ShownTitle
  cover: PictureOptions['media']
  /**
   * Whether the viewer may see the work's page. A list may contain adult works of a user who no longer allows them.
   */
  isSeen: boolean
  /** Values of the fields: the stored ones, or the submitted ones if they have not been saved yet. */
  entered: RatingChange
  /** Values of the fields of progress: the stored or the submitted ones. */
  progress: ProgressChange
  /** Number of the work's volumes in the catalog. */
  volumesTotal: number | undefined
  /** Form that adds a volume. */
  volumes: Html | undefined
  /** Submitted values that could not be parsed, keyed by field. */
  written: Record<string, string>
  /** Whether there is a rating or progress to delete. */
  isStored: boolean
  faults: Record<string, string>
  isPreview: boolean
  notice: Html | undefined
  /** Record of what the form showed when it was loaded. */
  loaded: Html
  /** Path to return to after saving. */
  back: string
}

/** Renders the form for all fields of a rating. */
export function ratingFormView(context: PageContext, data: RatingFormData): View {
  const { messages, csrfField } = context
  const { library: texts } = messages
  const {
    kind,
    id,
    title,
    cover,
    isSeen,
    entered,
    progress,
    volumesTotal,
    volumes,
    written,
    isStored,
    faults,
    isPreview,
    notice,
    loaded,
    back,
  } = data
  const values = { ...DEFAULT_RATING, status: null, ...entered }
  const names = statusLabels(messages, kind)
  const path = ratingPath(kind, id)
  const box = (name: 'is_spoiler' | 'status_private', text: string) =>
    html`<p class="check"><input type="checkbox" id="${name}" name="${name}" value="yes"${values[name] && html` checked`}><label for="${name}">${text}</label></p>`
  const score = (name: 'rate' | (typeof SUB_SCORES)[WorkKind][number], hint?: string) =>
    ratingField(
      name,
      texts.fields[name],
      faults[name],
      hint,
      (described) =>
        html`<input id="${name}" name="${name}" value="${written[name] ?? values[name] ?? ''}" inputmode="decimal" maxlength="5" autocomplete="off" size="5"${described}>`,
    )
  const minutes = values.time_to_finish_minutes
  const image = picture(context, {
    media: cover,
    kind,
    id,
    title: title.text,
    lang: title.lang,
    shape: 'cover',
    sizes: '17rem',
    graded: 'guest',
    decorative: true,
  })
  return {
    title: texts.formTitle({ title: title.text }),
    head: { robots: 'noindex' },
    body: html`<div class="record"><h1>${texts.formTitle({ title: '' })}<span${title.lang !== undefined && html` lang="${title.lang}"`}>${title.text}</span></h1>
<p class="ways"><a href="/library">${texts.back}</a>${isSeen && html`<a href="${entryPath(kind, id)}">${texts.toWork}</a>`}</p>
${isSeen ? html`<a class="beside" href="${entryPath(kind, id)}" tabindex="-1" aria-hidden="true">${image}</a>` : html`<span class="beside">${image}</span>`}
${notice}
${volumes}
${isPreview && preview(context, values.rate_content)}
<form method="post" action="${path}" class="record-form">
${csrfField()}${loaded}${hiddenFields({ back })}
<fieldset class="statuses cluster"><legend>${texts.status}</legend>
${[...STATUSES, null].map(
  (status) =>
    html`<label class="status-choice status-${status ?? 'none'}"><input type="radio" name="status" value="${status ?? ''}"${(values.status ?? null) === status && html` checked`}><span>${status === null ? texts.noStatus : names[status]}</span></label>`,
)}
${faults['status'] !== undefined && html`<p class="fault">${faults['status']}</p>`}
</fieldset>
${score('rate', texts.scoreHint)}
${
  SUB_SCORES[kind].length > 0 &&
  html`<fieldset class="sub-scores"><legend>${texts.subScores}</legend>${SUB_SCORES[kind].map((name) => score(name))}</fieldset>`
}
${
  hasTimeToFinish(kind) &&
  html`<fieldset class="time"><legend>${texts.fields.time_to_finish_minutes}</legend>
<div class="field"><label for="hours">${texts.hours}</label><input id="hours" name="hours" value="${written['hours'] ?? (Math.floor(minutes / 60) || '')}" inputmode="numeric" maxlength="5" size="5" autocomplete="off"${faults['hours'] !== undefined && html` aria-invalid="true" aria-describedby="hours-error"`}></div>
<div class="field"><label for="minutes">${texts.minutes}</label><input id="minutes" name="minutes" value="${written['minutes'] ?? (minutes % 60 || '')}" inputmode="numeric" maxlength="6" size="5" autocomplete="off"></div>
${faults['hours'] !== undefined && html`<p class="fault" id="hours-error">${faults['hours']}</p>`}</fieldset>`
}
${ratingField(
  'rate_content',
  texts.review,
  faults['rate_content'],
  texts.reviewHint,
  (described) =>
    html`<textarea id="rate_content" name="rate_content" rows="8" maxlength="${MAX_REVIEW_LENGTH * 2}"${described}>
${written['rate_content'] ?? values.rate_content}</textarea>`,
)}
${box('is_spoiler', texts.spoiler)}
${box('status_private', texts.private)}
${progressFields(messages, { kind, entered: progress, written, faults, volumesTotal })}
<div class="actions side-by-side"><button>${texts.save}</button> <button class="secondary" name="act" value="preview">${texts.preview}</button></div>
</form>
${
  isStored &&
  html`<form method="post" action="${path}/delete" class="record-end">${csrfField()}${hiddenFields({ back })}<button class="danger plain">${texts.remove}</button></form>`
}</div>`,
  }
}

const preview = ({ messages }: PageContext, text: string): Html =>
  html`<section class="preview" aria-labelledby="preview-of"><h2 id="preview-of">${messages.library.previewOf}</h2>${text === '' ? html`<p class="quiet">${messages.library.nothing}</p>` : userText(text)}</section>`
