import { Type } from 'typebox'
import {
  Id,
  Named,
  Nullable,
  NullableEnum,
  NullableInteger,
  NullableText,
  ObjectOf,
  Ref,
  StringEnum,
} from '../http/wire/schemas.ts'
import { SOURCE_NAMES } from '../sources/registry.ts'
import { COVER_KINDS, ENUM_TITLES } from './enums.ts'
import { WHOLE_POINTS } from './whole-points.ts'

const titleOf = (values: readonly string[]) => {
  const title = ENUM_TITLES.get(values)
  return title === undefined ? {} : { title }
}

/** Schema of an enumeration, with its title in the OpenAPI document. */
export const Enum = <const Value extends string>(values: readonly Value[], options: object = {}) =>
  StringEnum(values, { ...titleOf(values), ...options })

/** Schema of an enumeration or null. */
export const EnumOrNull = <const Value extends string>(values: readonly Value[]) =>
  NullableEnum(values, titleOf(values))

const url = Type.String({ format: 'uri', pattern: '^https?://', description: 'Absolute URL' })
const grade = (content: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 2,
    description: `${content}: 0 safe, 1 suggestive, 2 explicit`,
  })
const media = {
  url,
  width: NullableInteger,
  height: NullableInteger,
  sexual: grade('Sexual content'),
  violence: grade('Violence'),
}

export const OpenMediaDto = Named('OpenMediaDto', media)

export const OpenCoverDto = Named('OpenCoverDto', {
  ...media,
  votes: Type.Integer({ minimum: 0, description: 'Votes for this cover' }),
})

export const OpenGalgameCoverDto = Named('OpenGalgameCoverDto', {
  ...OpenCoverDto.properties,
  kind: EnumOrNull(COVER_KINDS),
  language: Nullable(Type.String(), { description: 'BCP 47' }),
})

export const OpenExternalLinkDto = Named('OpenExternalLinkDto', {
  label: Type.String({ description: 'Site name for display: `Official website`, `Steam`' }),
  name: Type.String({ description: 'Site identifier: `website`, `steam`' }),
  url: Type.String({ format: 'uri', pattern: '^https?://', description: 'Absolute URL' }),
})

export const NullableCurrency = Nullable(Type.String({ pattern: '^[A-Z]{3}$' }), {
  description: 'ISO 4217',
})

/** Titles or names of an entry besides the original and the Chinese one. */
export const LOCALIZED_TITLES = {
  en_title: Nullable(Type.String(), { description: 'English title, or name of a character' }),
  romaji_title: Nullable(Type.String(), {
    description: 'Title or name in Latin letters, if the original is in another script',
  }),
  ko_title: Nullable(Type.String(), { description: 'Korean title of a work' }),
}

/** Names of a galgame's first developer. */
export const DEVELOPER_NAMES = {
  developer: Nullable(Type.String(), { description: 'Name of the first developer, for a galgame' }),
  developer_trans_name: Nullable(Type.String(), { description: 'Chinese name of the developer' }),
  developer_romaji_name: Nullable(Type.String(), {
    description: 'Name of the developer in Latin letters, if the original is in another script',
  }),
}

export const OpenEntityRefDto = Named('OpenEntityRefDto', {
  id: Id,
  name: Type.String(),
  trans_name: NullableText,
  image: Nullable(Ref(OpenMediaDto)),
  ...LOCALIZED_TITLES,
})

export const OpenExternalSourceDto = Named('OpenExternalSourceDto', {
  vndb: Nullable(Type.String(), { description: 'Id at VNDB: `v4`' }),
  bangumi: Nullable(Type.String(), { description: 'Id at Bangumi, as a string' }),
})

export const OpenEntityLabelDto = Named('OpenEntityLabelDto', {
  key: Type.String(),
  value: Type.String(),
})

/** A tag that is a spoiler. */
export const OpenSpoilerTagDto = Named('OpenSpoilerTagDto', {
  name: Type.String(),
  likes: Type.Integer({ minimum: 0 }),
  level: Type.Integer({
    minimum: 1,
    maximum: 2,
    description: '1 is a minor spoiler, 2 a major one',
  }),
})

export const OpenTagDto = Named('OpenTagDto', {
  name: Type.String(),
  likes: Type.Integer({ minimum: 0, description: 'Number of users who added this tag' }),
})

export const OpenRatingDto = Named('OpenRatingDto', {
  score: Type.Number({
    minimum: 0,
    maximum: 10,
    description: 'Mean score; 0 if there are no scores',
  }),
  total: Type.Integer({ minimum: 0 }),
  count: ObjectOf(WHOLE_POINTS, Type.Integer({ minimum: 0 }), {
    description: 'Number of scores by whole points',
  }),
})

/** Score of a work at one of the sources. */
export const OpenSourceScoreDto = Named('OpenSourceScoreDto', {
  source: StringEnum(SOURCE_NAMES),
  score: Type.Number({ minimum: 0, maximum: 10, description: 'Score as shown by the source' }),
  votes: Type.Integer({ minimum: 1, description: 'Number of votes at the source' }),
  rank: Nullable(Type.Integer({ minimum: 1 }), {
    description: 'Rank at the source, 1 for the best; null if the source has no ranks',
  }),
})

export const SHARED_SCHEMAS = [
  OpenMediaDto,
  OpenCoverDto,
  OpenGalgameCoverDto,
  OpenExternalLinkDto,
  OpenExternalSourceDto,
  OpenEntityRefDto,
  OpenEntityLabelDto,
  OpenTagDto,
  OpenSpoilerTagDto,
  OpenRatingDto,
  OpenSourceScoreDto,
]
