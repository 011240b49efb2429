import { Type, type Static, type TSchema } from 'typebox'
import { byWorkKind, KINDS, type WorkKind } from '../../catalog/kinds.ts'
import {
  Closed,
  DateTime,
  Id,
  Named,
  Nullable,
  NullableText,
  StringEnum,
} from '../../http/wire/schemas.ts'
import { hasTimeToFinish, MAX_MINUTES_TO_FINISH, SUB_SCORES } from '../fields.ts'
import { NullableStatus } from '../own/schemas.ts'

const score = Nullable(Type.Number({ minimum: 1, maximum: 10 }))
const count = (description: string) => Type.Integer({ minimum: 0, description })

export const ReviewText = Type.String({
  description:
    'Empty if the review contains spoilers (`is_spoiler`), unless the request has `spoilers=true`',
})
export const SpoilersParameter = Type.Optional(
  Type.Boolean({
    description: 'Whether to include the text of reviews with spoilers; false by default',
  }),
)

const review = (kind: WorkKind): Record<string, TSchema> => ({
  id: Id,
  created_at: DateTime,
  updated_at: DateTime,
  user: Closed({ id: Id, name: Type.String(), picture: NullableText }),
  status: NullableStatus,
  rate: score,
  ...Object.fromEntries(SUB_SCORES[kind].map((name) => [name, score])),
  rate_content: ReviewText,
  is_spoiler: Type.Boolean(),
  like_count: count('Users who like the review'),
  dislike_count: count('Users who dislike the review'),
  ...(hasTimeToFinish(kind) && {
    time_to_finish_minutes: Type.Integer({ minimum: 0, maximum: MAX_MINUTES_TO_FINISH }),
  }),
})

/** Public reviews of a work (decision 0013). */
export const REVIEWS = byWorkKind((kind) => Named(`${KINDS[kind].singular}Review`, review(kind)))

export const REVIEW_ORDERS = ['newest', 'top', 'score'] as const
export type ReviewOrder = (typeof REVIEW_ORDERS)[number]

export const ReviewsFilter = Type.Object({
  sort: Type.Optional(
    StringEnum(REVIEW_ORDERS, {
      title: 'ReviewOrder',
      description:
        '`newest` (default); `top`: highest number of likes minus dislikes first; `score`: highest first',
    }),
  ),
  spoilers: SpoilersParameter,
})
export type ReviewsFilter = Static<typeof ReviewsFilter>

export const VOTE_VALUES = ['LIKE', 'DISLIKE'] as const
export type VoteValue = (typeof VOTE_VALUES)[number]
const vote = StringEnum(VOTE_VALUES, { title: 'VoteValue' })

/** A user's vote on another user's review. The review's counts are updated within a second. */
export const ReviewVote = Named('ReviewVote', {
  rating_id: Id,
  vote,
  created_at: DateTime,
  updated_at: DateTime,
})

export const VoteBody = Closed({ vote })
export type VoteBody = Static<typeof VoteBody>
