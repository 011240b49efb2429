import { Type, type Static, type TSchema } from 'typebox'
import { byWorkKind, KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { OpenEntityRefDto } from '../../catalog/schemas.ts'
import { WorkType, WorkTypeParameter, workTypeOf } from '../../catalog/work-types.ts'
import { RatedMediaDto } from '../../http/wire/media.ts'
import { Paged } from '../../http/wire/requests/paging.ts'
import {
  Closed,
  DateTime,
  Id,
  Named,
  Nullable,
  NullableEnum,
  NullableText,
  Ref,
  StringEnum,
} from '../../http/wire/schemas.ts'
import { PROGRESS } from '../progress/schemas.ts'
import {
  ALL_SUB_SCORES,
  isSubScore,
  MAX_MINUTES_TO_FINISH,
  MAX_REVIEW_LENGTH,
  RATING_FACTS,
  type RatingField,
  ratingFieldsOf,
  STATUSES,
  type SubScore,
} from '../fields.ts'

const score = (subject: string) =>
  Nullable(
    Type.Number({
      minimum: 1,
      maximum: 10,
      description: `${subject}: 1 to 10, at most one decimal`,
      examples: [8.5],
    }),
  )
const RatingStatus = StringEnum(STATUSES, { title: 'RatingStatus' })

/** Schema of a status, null for ratings without one. */
export const NullableStatus = NullableEnum(STATUSES, { title: 'NullableRatingStatus' })

const count = (description: string) => Type.Integer({ minimum: 0, description })

const FIELD_SCHEMAS: Record<Exclude<RatingField, SubScore>, TSchema> = {
  is_spoiler: Type.Boolean({ description: 'Whether the review contains spoilers' }),
  rate: score('Overall'),
  rate_content: Type.String({
    description: `Review: at most ${MAX_REVIEW_LENGTH} characters; lines end with \`\\n\``,
  }),
  status: NullableStatus,
  status_private: Type.Boolean({
    description: 'Whether only the owner sees the rating; its score still counts in averages',
  }),
  time_to_finish_minutes: Type.Integer({ minimum: 0, maximum: MAX_MINUTES_TO_FINISH }),
}

const fieldSchemas = (kind: WorkKind): Record<string, TSchema> =>
  Object.fromEntries(
    ratingFieldsOf(kind).map((field) => [
      field,
      isSubScore(field) ? score(field.replace('rate_', '')) : FIELD_SCHEMAS[field],
    ]),
  )

const rating = (kind: WorkKind): Record<string, TSchema> => ({
  id: Id,
  created_at: DateTime,
  updated_at: DateTime,
  like_count: count('Users who like the review'),
  dislike_count: count('Users who dislike the review'),
  ...fieldSchemas(kind),
})

/** Schemas of a rating, keyed by kind of work (§2.12, decision 0013). */
export const RATINGS = byWorkKind((kind) => Named(`${KINDS[kind].singular}Rating`, rating(kind)))

/** A PUT ignores the facts, so that a client may send back a rating as received (decision 0013). */
export const ratingChange = (kind: WorkKind) =>
  Closed({
    ...Object.fromEntries(
      Object.entries(fieldSchemas(kind)).map(([name, schema]) => [name, Type.Optional(schema)]),
    ),
    ...Object.fromEntries(
      RATING_FACTS.map((name) => [name, Type.Optional(Type.Unknown({ description: 'Ignored' }))]),
    ),
  })

const ofWork = { work_type: WorkType, work_id: Id, work: Ref(OpenEntityRefDto) }

export const ratingWithWork = (kind: WorkKind): Record<string, TSchema> => ({
  ...ofWork,
  work_type: Type.Literal(workTypeOf(kind)),
  ...rating(kind),
})

const dimensions = Type.Array(
  Closed({
    key: StringEnum(ALL_SUB_SCORES.map((name) => name.replace('rate_', ''))),
    score: Type.Number(),
  }),
  { description: 'The sub-scores that are set' },
)

const listed = (kind: WorkKind) => ({
  ...ratingWithWork(kind),
  id: Type.Integer({ minimum: 1, description: 'Id of the work' }),
  rate_id: Type.Integer({ minimum: 1, description: 'Id of the rating' }),
  title: Type.String({
    description: 'Translated title, or the original title if there is no translation',
  }),
  cover: Nullable(Ref(RatedMediaDto)),
  rate_content: NullableText,
  dimensions,
  last_activity_at: DateTime,
})

/** Schemas of an item in a user's list, keyed by kind of work (decision 0013). */
const LISTED_RATINGS = byWorkKind((kind) =>
  Named(`Listed${KINDS[kind].singular}Rating`, {
    ...listed(kind),
    progress: Type.Optional(Ref(PROGRESS[kind])),
  }),
)

export const RatingHistoryEntry = Named('RatingHistoryEntry', {
  id: Id,
  ...ofWork,
  action: StringEnum(['CREATED', 'CHANGED', 'DELETED'], { title: 'RatingAction' }),
  client_id: Nullable(Type.String(), {
    description: 'App that made the change; null for the site',
  }),
  fields: Type.Record(Type.String(), Closed({ from: Type.Unknown(), to: Type.Unknown() }), {
    description: 'Old and new value by field',
    examples: [{ rate: { from: 7, to: 8.5 } }],
  }),
  changed_at: DateTime,
})

export const RATING_SCHEMAS = [
  RatedMediaDto,
  ...Object.values(RATINGS),
  ...Object.values(LISTED_RATINGS),
  RatingHistoryEntry,
]

export const RatingsFilter = Type.Object({
  status: Type.Optional(RatingStatus),
  work_type: Type.Optional(WorkTypeParameter),
  scored: Type.Optional(
    Type.Boolean({ description: 'Only ratings with, or without, an overall score' }),
  ),
})
export type RatingsFilter = Static<typeof RatingsFilter>

export const RatingsPage = Closed({
  ...Paged(Type.Union(Object.values(LISTED_RATINGS).map(Ref))).properties,
  next_cursor: Nullable(Type.String(), {
    description: 'Cursor of the next page; null on the last',
  }),
})
