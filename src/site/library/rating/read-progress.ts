import type { FastifyRequest } from 'fastify'
import type { WorkKind } from '../../../catalog/kinds.ts'
import { fieldOf } from '../../../ui/forms/form-field.ts'
import type { Messages } from '../../../ui/messages.ts'
import {
  MAX_NUMBERS,
  MAX_REREADS,
  progressFieldsOf,
  type ProgressChange,
} from '../../../ratings/progress/fields.ts'
import { parseProgressChange } from '../../../ratings/progress/progress-rules.ts'

/** Names of the inputs of a reread, by its index. */
export const rereadNames = (index: number) =>
  ({ start: `reread_start_${index}`, finish: `reread_finish_${index}` }) as const

/** Numbers of the form. Times have two inputs each. */
const COUNTS = ['volumes_read', 'chapters_read', 'times_finished'] as const

/**
 * Reads the fields of progress from the full form. Empty fields are cleared, and fields that the form does not have
 * stay unchanged.
 *
 * @returns the change, and the errors keyed by input
 */
export function readProgressForm(
  request: FastifyRequest,
  kind: WorkKind,
  { progress: { faults: texts } }: Messages['library'],
): { progress: ProgressChange; faults: Record<string, string> } {
  const faults: Record<string, string> = {}
  const body = new Map(Object.entries(request.body ?? {}))
  if (!body.has('private_note')) return { progress: {}, faults }
  const textOf = (name: string) => fieldOf(request, name).trim().normalize('NFKC')
  const countOf = (name: string, max: number, fault: string) => {
    const text = textOf(name) || '0'
    const number = /^\d{1,8}$/.test(text) ? Number(text) : Number.NaN
    if (number <= max) return number
    faults[name] = fault
    return 0
  }
  const sent: ProgressChange = {
    started_on: dateIn(textOf('started_on')),
    finished_on: dateIn(textOf('finished_on')),
    rereads: readRereads(textOf, body),
    private_note: fieldOf(request, 'private_note').trim(),
    labels: fieldOf(request, 'labels')
      .split('\n')
      .filter((label) => label.trim() !== ''),
    minutes:
      countOf('played_hours', Math.floor(MAX_NUMBERS.minutes / 60) - 1, texts.time) * 60 +
      countOf('played_minutes', 100_000, texts.time),
  }
  const fields = new Set(progressFieldsOf(kind))
  for (const name of COUNTS)
    if (fields.has(name))
      sent[name] = countOf(name, MAX_NUMBERS[name], texts.number({ max: MAX_NUMBERS[name] }))
  if ((sent.minutes ?? 0) > MAX_NUMBERS.minutes) faults['played_hours'] = texts.time
  if ((sent.rereads?.length ?? 0) > MAX_REREADS) faults['rereads'] = texts.rereads
  const { change, faults: broken } = parseProgressChange(kind, sent)
  for (const { field } of broken) {
    const [name = field] = field.split('.')
    faults[name] ??= faultText(name, texts)
  }
  return { progress: change, faults }
}

function faultText(name: string, texts: Messages['library']['progress']['faults']): string {
  if (name === 'private_note') return texts.note
  return name === 'labels' ? texts.labels : texts.date
}

/** Accepts `2024/3/9` and `2024.3` as dates. Other text stays as it is, so that the rules reject it. */
function dateIn(text: string): string | null {
  if (text === '') return null
  const [, year, month, day] = /^(\d{4})(?:[-/.](\d{1,2}))?(?:[-/.](\d{1,2}))?$/.exec(text) ?? []
  if (year === undefined) return text
  return [year, month, day].flatMap((part) => part?.padStart(2, '0') ?? []).join('-')
}

function readRereads(textOf: (name: string) => string, body: Map<string, unknown>) {
  const rereads: NonNullable<ProgressChange['rereads']> = []
  // One more than allowed, so that a form with too many is rejected instead of truncated.
  for (let index = 0; index <= MAX_REREADS; index += 1) {
    const { start, finish } = rereadNames(index)
    if (!body.has(start) && !body.has(finish)) continue
    const [started_on, finished_on] = [dateIn(textOf(start)), dateIn(textOf(finish))]
    if (started_on !== null || finished_on !== null) rereads.push({ started_on, finished_on })
  }
  return rereads
}

/** Names of the inputs whose submitted text is shown again if the form is rejected. */
export const progressInputs = (body: unknown): string[] =>
  typeof body === 'object' && body !== null
    ? Object.keys(body).filter((name) =>
        /^(played_|reread_|labels$|private_note$|started_on$|finished_on$|volumes_read$|chapters_read$|times_finished$)/.test(
          name,
        ),
      )
    : []
