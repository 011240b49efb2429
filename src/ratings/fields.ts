import { keysOf } from '../kernel/typed-records.ts'
import { byWorkKind, type WorkKind } from '../catalog/kinds.ts'

/** Statuses of §2.12, in the order of the API. */
export const STATUSES = ['GOING', 'COMPLETED', 'ON_HOLD', 'DROPPED', 'PLAN'] as const
export type Status = (typeof STATUSES)[number]

/** Aspects of a work that can be scored separately (§2.12, decision 0013). */
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

export const ALL_SUB_SCORES: readonly SubScore[] = [
  ...new Set([...SUB_SCORES.light_novel, ...SUB_SCORES.galgame]),
]

export const isSubScore = (field: string): field is SubScore =>
  ALL_SUB_SCORES.some((name) => name === field)

export const isScore = (field: string) => field === 'rate' || isSubScore(field)

/** Whether ratings of a kind include the time taken to finish the work (decision 0013). */
export const hasTimeToFinish = (kind: WorkKind) => kind !== 'manga'

/** Maximum length of a review, in characters. */
export const MAX_REVIEW_LENGTH = 5_000

/** One year, in minutes. */
export const MAX_MINUTES_TO_FINISH = 525_600

/** Columns of a rating that its user writes. Sub-scores that the kind of work lacks are null. */
export type RatingFields = {
  is_spoiler: boolean
  rate: number | null
  rate_content: string
  /** Null if the user cleared the status, so that the rating has only scores. */
  status: Status | null
  status_private: boolean
  time_to_finish_minutes: number
} & Record<SubScore, number | null>

export type RatingField = keyof RatingFields

/** Fields of a PUT. Null clears a score or the status; omitted fields keep their values. */
export type RatingChange = Partial<RatingFields>

/**
 * Default values, in the order of the API. All other lists of rating fields derive from this one. `fields.test.ts`
 * compares it with the defaults and functions of the database.
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

export const RATING_FIELDS = keysOf(DEFAULT_RATING)

function fieldsOfKind(kind: WorkKind): RatingField[] {
  const fields = RATING_FIELDS.filter(
    (field) => !isSubScore(field) && (field !== 'time_to_finish_minutes' || hasTimeToFinish(kind)),
  )
  return fields.toSpliced(fields.indexOf('rate') + 1, 0, ...SUB_SCORES[kind])
}

const FIELDS_BY_KIND = byWorkKind(fieldsOfKind)

/** Columns of a rating that its user does not write. */
export const RATING_FACTS = [
  'id',
  'created_at',
  'updated_at',
  'like_count',
  'dislike_count',
] as const

/** Fields of ratings of a kind, in the order of the API. */
export const ratingFieldsOf = (kind: WorkKind): readonly RatingField[] => FIELDS_BY_KIND[kind]

/** Picks those of the listed fields that are set, in the order of the list. */
export const pickFields = (rating: RatingChange, fields: readonly RatingField[]): RatingChange =>
  Object.fromEntries(
    fields.filter((field) => rating[field] !== undefined).map((field) => [field, rating[field]]),
  )
