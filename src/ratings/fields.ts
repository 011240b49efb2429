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
  galgame: ['rate_scenario', 'rate_direction', 'rate_music', 'rate_visual', 'rate_character', 'rate_system'],
  manga: [],
} as const satisfies Record<WorkKind, readonly string[]>

export type SubScore = (typeof SUB_SCORES)[WorkKind][number]

/** Every sub-score there is, each once. */
export const ALL_SUB_SCORES: readonly SubScore[] = [
  ...new Set([...SUB_SCORES.light_novel, ...SUB_SCORES.galgame]),
]

/** Whether readers of such works say how long it took (decision 0013). */
export const hasTimeToFinish = (kind: WorkKind) => kind !== 'manga'

/** Characters of a review. */
export const REVIEW_LENGTH = 5_000

/** Minutes in a year. */
export const MAX_MINUTES = 525_600

/** What a record says: what a PUT may send. The sub-scores are those of the work's kind. */
export type RatingChange = Partial<
  {
    status: Status
    status_private: boolean
    rate: number | null
    rate_content: string
    is_spoiler: boolean
    time_to_finish_minutes: number
  } & Record<SubScore, number | null>
>
