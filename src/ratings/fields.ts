import type { WorkKind } from '../catalog/kinds.ts'

/** §2.12, in the order of the wire. */
export const STATUSES = ['GOING', 'COMPLETED', 'ON_HOLD', 'DROPPED', 'PLAN'] as const
export type Status = (typeof STATUSES)[number]

/** What is scored beside the work as a whole (§2.12, decision 0013). */
export const SUB_SCORES = {
  light_novel: [
    'rate_character',
    'rate_illustration',
    'rate_pacing',
    'rate_plot',
    'rate_worldview',
    'rate_writing',
  ],
  galgame: [
    'rate_scenario',
    'rate_direction',
    'rate_music',
    'rate_visual',
    'rate_character',
    'rate_system',
  ],
  manga: [],
} as const satisfies Record<WorkKind, readonly string[]>

export type SubScore = (typeof SUB_SCORES)[WorkKind][number]

/** Every sub-score there is, each once. */
export const ALL_SUB_SCORES: readonly SubScore[] = [
  ...new Set([...SUB_SCORES.light_novel, ...SUB_SCORES.galgame]),
]

export const isSubScore = (field: string): field is SubScore =>
  ALL_SUB_SCORES.some((name) => name === field)

/** Whether it is a score: of the work as a whole, or beside it. */
export const isScore = (field: string) => field === 'rate' || isSubScore(field)

/** Whether readers of such works say how long it took (decision 0013). */
export const hasTimeToFinish = (kind: WorkKind) => kind !== 'manga'

/** Characters of a review. */
export const MAX_REVIEW_LENGTH = 5_000

/** Minutes in a year. */
export const MAX_MINUTES_TO_FINISH = 525_600

/** What a reader records of a work, as it is stored: a column each. Sub-scores of other kinds of works are null. */
export type RatingFields = {
  is_spoiler: boolean
  rate: number | null
  rate_content: string
  /** Null: the reader took it away, and the record is of the scores alone. */
  status: Status | null
  status_private: boolean
  time_to_finish_minutes: number
} & Record<SubScore, number | null>

export type RatingField = keyof RatingFields

/** What a PUT may send: null clears a score or the status, and what is missing stays as it is. */
export type RatingChange = Partial<RatingFields>

/**
 * A record of which nothing was sent, field by field in the order of the wire. Every list of the fields follows from
 * this one; the database's own defaults and functions are held against it by `fields.test.ts`.
 */
export const DEFAULT_RATING: RatingFields = {
  is_spoiler: false,
  rate: null,
  rate_character: null,
  rate_illustration: null,
  rate_pacing: null,
  rate_plot: null,
  rate_worldview: null,
  rate_writing: null,
  rate_scenario: null,
  rate_direction: null,
  rate_music: null,
  rate_visual: null,
  rate_system: null,
  rate_content: '',
  status: 'GOING',
  status_private: false,
  time_to_finish_minutes: 0,
}

// as: the keys of that very object
export const RATING_FIELDS = Object.keys(DEFAULT_RATING) as RatingField[]

function fieldsOfKind(kind: WorkKind): RatingField[] {
  const fields = RATING_FIELDS.filter(
    (field) => !isSubScore(field) && (field !== 'time_to_finish_minutes' || hasTimeToFinish(kind)),
  )
  return fields.toSpliced(fields.indexOf('rate') + 1, 0, ...SUB_SCORES[kind])
}

const FIELDS_OF_KINDS = {
  galgame: fieldsOfKind('galgame'),
  light_novel: fieldsOfKind('light_novel'),
  manga: fieldsOfKind('manga'),
}

/** Fields that a record of such a work has, in the order of the wire. */
export const ratingFieldsOf = (kind: WorkKind): readonly RatingField[] => FIELDS_OF_KINDS[kind]

/** Some of a record's fields, in that order, as far as it has them. */
export const pickFields = (rating: RatingChange, fields: readonly RatingField[]): RatingChange =>
  Object.fromEntries(
    fields.filter((field) => rating[field] !== undefined).map((field) => [field, rating[field]]),
  )
