import type { WorkKind } from '../../../catalog/kinds.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import {
  BLANK_PROGRESS,
  hasVolumes,
  MAX_REREADS,
  type ProgressChange,
} from '../../../ratings/progress/fields.ts'
import { ratingField } from './field-view.ts'
import { rereadNames } from './read-progress.ts'
import { MAX_PRIVATE_NOTE_LENGTH } from '../../../accounts/record-limits.ts'

export type ProgressFieldsData = {
  kind: WorkKind
  entered: ProgressChange
  written: Record<string, string>
  faults: Record<string, string>
  /** Number of the work's volumes in the catalog. */
  volumesTotal: number | undefined
}

/** Renders the part of the form that only the owner sees: progress, dates, labels and the private note. */
export function progressFields(
  { library: texts }: Messages,
  { kind, entered, written, faults, volumesTotal }: ProgressFieldsData,
): Html {
  const { progress: words } = texts
  const values = { ...BLANK_PROGRESS, ...entered }
  const short = (
    name: string,
    label: string,
    value: string | number,
    inputmode = 'numeric',
    after?: Html,
  ) =>
    ratingField(
      name,
      label,
      faults[name],
      undefined,
      (described) =>
        html`<input id="${name}" name="${name}" value="${written[name] ?? value}" inputmode="${inputmode}" maxlength="10" size="10" autocomplete="off"${described}>${after}`,
    )
  const date = (name: string, label: string, value: string | null) =>
    short(name, label, value ?? '', 'text')
  const count = (name: 'volumes_read' | 'chapters_read' | 'times_finished', after?: Html) =>
    short(name, texts.fields[name], values[name] || '', 'numeric', after)
  const rereads = [...values.rereads, { started_on: null, finished_on: null }].slice(0, MAX_REREADS)
  return html`<h2>${words.legend}</h2>
<fieldset class="sub-scores"><legend>${words.ofProgress}</legend>
<p class="hint">${words.dateHint}</p>
${date('started_on', texts.fields.started_on, values.started_on)}
${date('finished_on', texts.fields.finished_on, values.finished_on)}
${
  hasVolumes(kind) &&
  html`${count('volumes_read', volumesTotal === undefined ? undefined : html` <span class="quiet">${words.total({ total: volumesTotal })}</span>`)}
${count('chapters_read')}`
}
${count('times_finished')}
</fieldset>
<fieldset class="time"><legend>${texts.fields.minutes}</legend>
${short('played_hours', texts.hours, Math.floor(values.minutes / 60) || '')}
${short('played_minutes', texts.minutes, values.minutes % 60 || '')}
</fieldset>
<details${(values.rereads.length > 0 || faults['rereads'] !== undefined) && html` open`}><summary>${texts.fields.rereads}</summary>
${rereads.map((reread, index) => {
  const { start, finish } = rereadNames(index)
  return html`<fieldset class="time"><legend>${index + 1}</legend>${date(start, words.rereadStart, reread.started_on)}${date(finish, words.rereadFinish, reread.finished_on)}</fieldset>`
})}
${faults['rereads'] !== undefined && html`<p class="fault">${faults['rereads']}</p>`}</details>
<fieldset><legend>${words.ofLabels}</legend>
${ratingField(
  'labels',
  texts.fields.labels,
  faults['labels'],
  words.labelsHint,
  (described) =>
    html`<textarea id="labels" name="labels" rows="2" maxlength="5000" autocomplete="off"${described}>
${written['labels'] ?? values.labels.join('\n')}</textarea>`,
)}
${ratingField(
  'private_note',
  texts.fields.private_note,
  faults['private_note'],
  words.noteHint,
  (described) =>
    html`<textarea id="private_note" name="private_note" rows="5" maxlength="${MAX_PRIVATE_NOTE_LENGTH * 2}"${described}>
${written['private_note'] ?? values.private_note}</textarea>`,
)}
</fieldset>`
}
