import { Type, type Static } from 'typebox'
import { WORK_KINDS } from '../catalog/kinds.ts'
import { LOCALIZED_TITLES, OpenEntityRefDto } from '../catalog/schemas.ts'
import { WorkType, WorkTypeParameter } from '../catalog/work-types.ts'
import { PublicCollection } from '../collections/schemas.ts'
import { Paged, PageQuery } from '../http/wire/requests/paging.ts'
import {
  Closed,
  DateTime,
  Id,
  Named,
  Nullable,
  NullableNumber,
  NullableText,
  ObjectOf,
  Ref,
  StringEnum,
} from '../http/wire/schemas.ts'
import { STATUSES } from '../ratings/fields.ts'
import { PUBLIC_ORDERS } from '../ratings/own/lists/library-queries.ts'
import { NullableStatus } from '../ratings/own/schemas.ts'
import { ReviewText, SpoilersParameter } from '../ratings/reviews/schemas.ts'
import { PROFILE_NAME_LENGTH } from './profile-name.ts'
import { PROFILE_PARTS } from './queries.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const shown = Type.Boolean()
const shows = ObjectOf(PROFILE_PARTS, shown, {
  description: 'Parts that are public; other parts return 404',
})
const profileName = Nullable(Type.String(), {
  description: `The name in the path \`/u/{name}\`: ${PROFILE_NAME_LENGTH.min} to ${PROFILE_NAME_LENGTH.max} letters a–z, digits and hyphens; null if the path has the id of the user`,
})

export const PublicProfile = Named('PublicProfile', {
  id: Id,
  profile_name: profileName,
  name: Type.String({ description: 'Nickname, or the name of a user without a nickname' }),
  picture: NullableText,
  bio: NullableText,
  since: DateTime,
  shows,
})
export type PublicProfile = Static<typeof PublicProfile>

export const ProfileSettings = Named('ProfileSettings', {
  is_shown: Type.Boolean({ description: 'Whether the profile is public at all' }),
  profile_name: profileName,
  may_be_found: Type.Boolean({ description: 'Whether search engines may list the profile' }),
  shows,
})
export type ProfileSettings = Static<typeof ProfileSettings>

export const ProfileSettingsChange = Closed({
  is_shown: Type.Optional(shown),
  profile_name: Type.Optional(profileName),
  may_be_found: Type.Optional(shown),
  shows: Type.Optional(
    Type.Partial(ObjectOf(PROFILE_PARTS, shown), { additionalProperties: false }),
  ),
})
export type ProfileSettingsChange = Static<typeof ProfileSettingsChange>

const rated = {
  work_type: WorkType,
  work_id: Id,
  work: Ref(OpenEntityRefDto),
  status: NullableStatus,
  rate: NullableNumber,
}

const PublicRecord = Named('PublicRecord', { ...rated, updated_at: DateTime })

const ReaderReview = Named('ReaderReview', {
  id: Id,
  created_at: DateTime,
  updated_at: DateTime,
  ...rated,
  rate_content: ReviewText,
  is_spoiler: Type.Boolean(),
  like_count: count('Users who like the review'),
  dislike_count: count('Users who dislike the review'),
})

const share = { amount: count('Number of ratings'), mean: NullableNumber }

const ProfileStatistics = Named('ProfileStatistics', {
  scores: Type.Array(
    Type.Object({ score: Type.Integer({ minimum: 1, maximum: 10 }), amount: share.amount }),
  ),
  kinds: Type.Array(
    Type.Object({
      kind: StringEnum(WORK_KINDS, { title: 'ProfileWorkKind' }),
      ...share,
      completed: count('Number of completed works'),
      minutes: count('Total time to finish, in minutes'),
    }),
  ),
  decades: Type.Array(Type.Object({ decade: Type.Integer(), ...share })),
  months: Type.Array(
    Type.Object({
      month: Type.String({ description: '`YYYY-MM` in UTC' }),
      amount: count('Works completed in the month'),
    }),
  ),
  tags: Type.Array(Type.Object({ name: Type.String(), ...share })),
  people: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      trans_name: Nullable(Type.String()),
      romaji_title: LOCALIZED_TITLES.romaji_title,
      ...share,
    }),
  ),
})

export const PROFILE_SCHEMAS = [
  PublicProfile,
  ProfileSettings,
  PublicRecord,
  ReaderReview,
  ProfileStatistics,
]

export const PublicListQuery = Type.Object({
  status: Type.Optional(StringEnum(STATUSES, { title: 'RatingStatus' })),
  work_type: Type.Optional(WorkTypeParameter),
  keyword: Type.Optional(
    // PostgreSQL rejects NUL in text.
    Type.String({ maxLength: 100, pattern: '^[^\\u0000]*$', description: 'Part of a title' }),
  ),
  sort: Type.Optional(
    StringEnum(PUBLIC_ORDERS, {
      title: 'ListOrder',
      description:
        '`recent` (default): last changed first; or by `score`, `name` or `date` of the work',
    }),
  ),
  ...PageQuery.properties,
})
export type PublicListQuery = Static<typeof PublicListQuery>

export const PublicReviewsQuery = Type.Object({
  spoilers: SpoilersParameter,
  ...PageQuery.properties,
})
export type PublicReviewsQuery = Static<typeof PublicReviewsQuery>

/** Schemas of `data`, keyed by route. */
export const PROFILE_RESPONSES = {
  profile: Ref(PublicProfile),
  list: Paged(Ref(PublicRecord)),
  statistics: Ref(ProfileStatistics),
  reviews: Paged(Ref(ReaderReview)),
  collections: Paged(Ref(PublicCollection)),
}
