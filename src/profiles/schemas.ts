import { Type, type Static } from 'typebox'
import { WORK_KINDS } from '../catalog/kinds.ts'
import { OpenEntityRefDto } from '../catalog/schemas.ts'
import { WorkType, WorkTypeParameter } from '../catalog/work-types.ts'
import { PublicCollection } from '../collections/schemas.ts'
import { Paged, PageQuery } from '../http/wire/requests/paging.ts'
import {
  DateTime,
  Id,
  Named,
  Nullable,
  NullableNumber,
  NullableText,
  Ref,
  StringEnum,
} from '../http/wire/schemas.ts'
import { STATUSES } from '../ratings/fields.ts'
import { LIBRARY_ORDERS } from '../ratings/own/lists/library-queries.ts'
import { NullableStatus } from '../ratings/own/schemas.ts'
import { PROFILE_NAME_LENGTH } from './profile-name.ts'
import { PROFILE_PARTS } from './queries.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const shown = Type.Boolean()
const shows = Type.Object(
  { list: shown, statistics: shown, reviews: shown, collections: shown },
  {
    additionalProperties: false,
    description: 'Which parts its reader shows; the others answer 404',
  },
)
const profileName = Type.Union([Type.String(), Type.Null()], {
  description: `In its address, \`/u/{name}\`: ${PROFILE_NAME_LENGTH.min} to ${PROFILE_NAME_LENGTH.max} letters a–z, digits and hyphens; null: the id stands there`,
})

/** A profile that its reader shows. */
export const PublicProfile = Named('PublicProfile', {
  id: Id,
  profile_name: profileName,
  name: Type.String({ description: 'The nickname, or else the name' }),
  picture: NullableText,
  bio: NullableText,
  since: DateTime,
  shows,
})
export type PublicProfile = Static<typeof PublicProfile>

/** What a reader shows of theirs. */
export const ProfileSettings = Named('ProfileSettings', {
  is_shown: Type.Boolean({
    description: 'Without it there is no profile, whatever else is chosen',
  }),
  profile_name: profileName,
  may_be_found: Type.Boolean({ description: 'Search engines may list it' }),
  shows,
})
export type ProfileSettings = Static<typeof ProfileSettings>

/** The body of PUT: what is not sent stays as it is. */
export const ProfileSettingsChange = Type.Object(
  {
    is_shown: Type.Optional(shown),
    profile_name: Type.Optional(profileName),
    may_be_found: Type.Optional(shown),
    shows: Type.Optional(
      Type.Partial(Type.Object(Object.fromEntries(PROFILE_PARTS.map((part) => [part, shown]))), {
        additionalProperties: false,
      }),
    ),
  },
  { additionalProperties: false },
)
export type ProfileSettingsChange = Partial<Omit<ProfileSettings, 'shows'>> & {
  shows?: Partial<ProfileSettings['shows']>
}

/** A record of a reader's list, as others see it. */
const PublicRecord = Named('PublicRecord', {
  work_type: WorkType,
  work_id: Id,
  work: Ref(OpenEntityRefDto),
  status: NullableStatus,
  rate: NullableNumber,
  updated_at: DateTime,
})

/** What a reader has written of one work, among all of theirs. */
const ReaderReview = Named('ReaderReview', {
  id: Id,
  created_at: DateTime,
  updated_at: DateTime,
  work_type: WorkType,
  work_id: Id,
  work: Ref(OpenEntityRefDto),
  status: NullableStatus,
  rate: NullableNumber,
  rate_content: Type.String({
    description: 'Empty when it tells what happens (`is_spoiler`) and `spoilers=true` was not sent',
  }),
  is_spoiler: Type.Boolean(),
  like_count: count('Readers who like it'),
  dislike_count: count('Readers who dislike it'),
})

const share = { amount: count('Number of records'), mean: NullableNumber }

/** A reader's records in numbers, as others see them. */
const ProfileStatistics = Named('ProfileStatistics', {
  scores: Type.Array(
    Type.Object({ score: Type.Integer({ minimum: 1, maximum: 10 }), amount: share.amount }),
  ),
  kinds: Type.Array(
    Type.Object({
      kind: StringEnum(WORK_KINDS, { title: 'ProfileWorkKind' }),
      ...share,
      completed: count('How many of them are completed'),
      minutes: count('Minutes they took, added up'),
    }),
  ),
  decades: Type.Array(Type.Object({ decade: Type.Integer(), ...share })),
  months: Type.Array(
    Type.Object({
      month: Type.String({ description: '`YYYY-MM`, of UTC' }),
      amount: count('Works completed in it'),
    }),
  ),
  tags: Type.Array(Type.Object({ name: Type.String(), ...share })),
  people: Type.Array(
    Type.Object({ id: Id, name: Type.String(), trans_name: Nullable(Type.String()), ...share }),
  ),
})

/** In the order in which they refer to each other. */
export const PROFILE_SCHEMAS = [
  PublicProfile,
  ProfileSettings,
  PublicRecord,
  ReaderReview,
  ProfileStatistics,
]

/** Which of a list, and in which order. */
export const PublicListQuery = Type.Object({
  status: Type.Optional(StringEnum(STATUSES, { title: 'RatingStatus' })),
  work_type: Type.Optional(WorkTypeParameter),
  keyword: Type.Optional(
    // A NUL is no text for the database.
    Type.String({ maxLength: 100, pattern: '^[^\\u0000]*$', description: 'A part of a title' }),
  ),
  sort: Type.Optional(
    StringEnum(LIBRARY_ORDERS, {
      title: 'ListOrder',
      description:
        '`recent` (default): the last changed first; `score`, `name`, `date` of the work',
    }),
  ),
  ...PageQuery.properties,
})
export type PublicListQuery = Static<typeof PublicListQuery>

export const PublicReviewsQuery = Type.Object({
  spoilers: Type.Optional(
    Type.Boolean({
      description: 'Also the text of reviews that tell what happens; false by default',
    }),
  ),
  ...PageQuery.properties,
})
export type PublicReviewsQuery = Static<typeof PublicReviewsQuery>

/** What each of its routes answers. */
export const PROFILE_RESPONSES = {
  profile: Ref(PublicProfile),
  list: Paged(Ref(PublicRecord)),
  statistics: Ref(ProfileStatistics),
  reviews: Paged(Ref(ReaderReview)),
  collections: Paged(Ref(PublicCollection)),
}
