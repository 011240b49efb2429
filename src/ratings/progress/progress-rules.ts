import type { WorkKind } from '../../catalog/kinds.ts'
import type { Fault, RequestFault } from '../../http/wire/errors/fault.ts'
import { readFreeText } from '../../http/wire/requests/free-text.ts'
import { MAX_LABEL_LENGTH, pickFieldsOf, type ProgressChange, type Reread } from './fields.ts'
import { MAX_LABELS, MAX_PRIVATE_NOTE_LENGTH } from '../../accounts/record-limits.ts'

/** A year, a month or a day. The years are those that the database admits. */
const PARTIAL_DATE = /^[12]\d{3}(-(0[1-9]|1[0-2])(-[0-3]\d)?)?$/

/** Whether a text is a year, a month or a day of the calendar. `2024-02-30` is not. */
export function isPartialDate(text: string): boolean {
  if (!PARTIAL_DATE.test(text)) return false
  if (text.length < 10) return true
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** Body of a request. Dates of rereads may be missing. */
type ProgressBody = Omit<ProgressChange, 'rereads'> & { rereads?: Partial<Reread>[] }

/** Normalizes a label, or reports why it is invalid. White space is trimmed and collapsed. */
export function readLabel(text: string): { label: string } | { fault: Fault } {
  const read = readFreeText(text.trim().replaceAll(/\s+/g, ' ').normalize('NFC'), MAX_LABEL_LENGTH)
  if ('fault' in read) return read
  return read.text === '' ? { fault: { code: 'text.blank' } } : { label: read.text }
}

/**
 * Applies the rules that the schema cannot express.
 *
 * @param body a body that satisfies the schema, or the part of a body that does
 * @returns the change to store, and the faults of the body
 */
export function parseProgressChange(kind: WorkKind, body: ProgressBody) {
  const faults: RequestFault[] = []
  const { rereads, ...others } = body
  const change = pickFieldsOf(kind, others)
  const checkDate = (field: string, date: string | null | undefined) => {
    if (typeof date === 'string' && !isPartialDate(date))
      faults.push({ field, code: 'date.partial' })
  }
  checkDate('started_on', change.started_on)
  checkDate('finished_on', change.finished_on)
  if (rereads !== undefined)
    change.rereads = rereads.map(({ started_on = null, finished_on = null }, index) => {
      checkDate(`rereads.${index}.started_on`, started_on)
      checkDate(`rereads.${index}.finished_on`, finished_on)
      return { started_on, finished_on }
    })
  if (change.private_note !== undefined) {
    const note = readFreeText(change.private_note, MAX_PRIVATE_NOTE_LENGTH)
    if ('fault' in note) faults.push({ field: 'private_note', ...note.fault })
    else change.private_note = note.text
  }
  if (change.labels !== undefined) {
    const labels = new Set<string>()
    for (const [index, text] of change.labels.entries()) {
      const read = readLabel(text)
      if ('fault' in read) faults.push({ field: `labels.${index}`, ...read.fault })
      else labels.add(read.label)
    }
    change.labels = [...labels]
    if (labels.size > MAX_LABELS) faults.push(tooManyLabels())
  }
  return { change, faults }
}

export const tooManyLabels = (): RequestFault => ({
  field: 'labels',
  kind: 'maxItems',
  code: 'labels.too_many',
  params: { max: MAX_LABELS },
})
