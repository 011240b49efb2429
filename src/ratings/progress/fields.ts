import type { WorkKind } from '../../catalog/kinds.ts'
import { keysOf } from '../../kernel/typed-records.ts'

/** A reread or replay of a work. Dates are `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. */
export type Reread = { started_on: string | null; finished_on: string | null }

/** Columns of a user's progress that the user writes (decision 0045). */
export type ProgressFields = {
  started_on: string | null
  finished_on: string | null
  volumes_read: number
  chapters_read: number
  times_finished: number
  rereads: Reread[]
  private_note: string
  labels: string[]
  minutes: number
}

export type ProgressField = keyof ProgressFields

/** Fields of a PATCH. Omitted fields keep their values. */
export type ProgressChange = Partial<ProgressFields>

/** Progress of a user who has recorded none. All other lists of progress fields derive from this one. */
export const BLANK_PROGRESS: Readonly<ProgressFields> = {
  started_on: null,
  finished_on: null,
  volumes_read: 0,
  chapters_read: 0,
  times_finished: 0,
  rereads: [],
  private_note: '',
  labels: [],
  minutes: 0,
}

export const PROGRESS_FIELDS = keysOf(BLANK_PROGRESS)

export const isProgressField = (name: string): name is ProgressField =>
  PROGRESS_FIELDS.some((field) => field === name)

/** Whether works of a kind consist of volumes and chapters. */
export const hasVolumes = (kind: WorkKind) => kind !== 'galgame'

/** Fields of progress in works of a kind, in the order of the API. */
export const progressFieldsOf = (kind: WorkKind): ProgressField[] =>
  PROGRESS_FIELDS.filter(
    (field) => hasVolumes(kind) || (field !== 'volumes_read' && field !== 'chapters_read'),
  )

export const MAX_LABEL_LENGTH = 50
export const MAX_REREADS = 50

/** Maximum value of each number. */
export const MAX_NUMBERS = {
  volumes_read: 100_000,
  chapters_read: 100_000,
  times_finished: 10_000,
  minutes: 10_000_000,
} as const satisfies Partial<Record<ProgressField, number>>

export type NumberField = keyof typeof MAX_NUMBERS

export const isSameValue = (one: unknown, other: unknown) =>
  JSON.stringify(one) === JSON.stringify(other)

/** Returns the fields whose value differs from the stored one, with both values. */
export function progressDifferences(
  stored: ProgressFields,
  change: ProgressChange,
): Record<string, { from: unknown; to: unknown }> {
  return Object.fromEntries(
    PROGRESS_FIELDS.flatMap((field) => {
      const [from, to] = [stored[field], change[field]]
      return to === undefined || isSameValue(from, to) ? [] : [[field, { from, to }]]
    }),
  )
}

/** Whether all fields have their defaults. */
export const isBlankProgress = (progress: ProgressFields): boolean =>
  Object.keys(progressDifferences({ ...BLANK_PROGRESS }, progress)).length === 0

/** Picks the progress fields of an object, in the order of the API. */
export const pickProgress = (values: ProgressChange): ProgressChange =>
  Object.fromEntries(
    PROGRESS_FIELDS.filter((field) => values[field] !== undefined).map((field) => [
      field,
      values[field],
    ]),
  )

/** Picks the fields that progress in works of a kind has. */
export const pickFieldsOf = (kind: WorkKind, values: ProgressChange): ProgressChange =>
  pickProgress(Object.fromEntries(progressFieldsOf(kind).map((field) => [field, values[field]])))
