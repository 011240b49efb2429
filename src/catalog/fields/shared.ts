import { Type } from 'typebox'
import { Closed, DateTime, Id, Nullable, Ref, StringEnum } from '../../http/wire/schemas.ts'
import { EXAMPLE_TIME } from '../example-parts.ts'
import { OpenExternalSourceDto, OpenRatingDto, OpenSourceScoreDto, OpenTagDto } from '../schemas.ts'
import { SOURCE_NAMES } from '../../sources/registry.ts'
import type { EntryKind } from '../kinds.ts'
import { externalSourceSql, isoTimeSql, ratingSql } from '../sql-fragments.ts'
import { isTime } from './column-limits.ts'
import { StatedCount, StatedText } from './stated-values.ts'
import { nullableText, VALUES } from './value-types.ts'

const time = {
  stated: Type.String(),
  response: DateTime,
  fallback: null,
  select: (entry: string, name: string) => isoTimeSql(`${entry}.${name}`),
  canHold: isTime,
  example: EXAMPLE_TIME,
}
/**
 * Timestamps at the end of every entry's response: when the source created and last changed the entry, or the time of
 * the import if the source does not say. They cannot be edited.
 */
export const TIME_FIELDS = {
  created_at: time,
  updated_at: time,
  revised_at: { ...time, response: Nullable(DateTime), example: null },
}

/** A user tag and the number of users who added it. */
export const StatedTag = Closed({ name: StatedText, likes: StatedCount })

/** Score of a work at a source. Absent if the source has no votes for the work. */
export const StatedSourceScore = Closed({
  source: StringEnum(SOURCE_NAMES),
  score: Type.Number({ minimum: 0, maximum: 10 }),
  votes: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
  rank: Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
})

/** Columns of `works`. */
export const WORK_FIELDS = {
  nsfw: {
    ...VALUES.flag,
    response: Type.Boolean({ description: 'Adult content, visible only with `catalog:full`' }),
    example: false,
  },
  // Most likes first.
  tags: { ...VALUES.listOf(StatedTag, Ref(OpenTagDto)), example: [] },
  source_scores: {
    ...VALUES.listOf(
      StatedSourceScore,
      Ref(OpenSourceScoreDto),
      'Scores at the sources, as of their latest import. `rating` contains only scores of users of this service.',
    ),
    example: [],
  },
  ...TIME_FIELDS,
}

/** Last fields of a work's response, read from `works work` (§2.3, decision 0002). */
export const WORK_RESPONSE_FIELDS = {
  tags: WORK_FIELDS.tags,
  rating: {
    response: Ref(OpenRatingDto),
    select: ratingSql,
    example: {
      score: 0,
      total: 0,
      count: { '1': 0, '2': 0, '3': 0, '4': 0, '5': 0, '6': 0, '7': 0, '8': 0, '9': 0, '10': 0 },
    },
  },
  source_scores: WORK_FIELDS.source_scores,
  nsfw: WORK_FIELDS.nsfw,
  ...TIME_FIELDS,
}

/** Title in Latin letters. */
export const ROMAJI_TITLE = {
  ...VALUES.text,
  response: nullableText('Title in Latin letters, if the original is in another script'),
}

const externalIdDescription = (site: string) => `Id at ${site}, or null if unknown`
/**
 * Id of an entry at another site.
 *
 * @param sql SQL expression for the id
 */
export const externalIdNumber = (site: string, sql: string | ((entry: string) => string)) => ({
  response: Nullable(Id, { description: externalIdDescription(site) }),
  select: typeof sql === 'string' ? () => sql : sql,
})
export const externalIdText = (site: string, sql: string) => ({
  response: nullableText(externalIdDescription(site)),
  select: () => sql,
})
/** Ids at both sites in the notation of the sources, read from `externalIdsSql`. */
export const externalSource = (kind: EntryKind) => ({
  response: Ref(OpenExternalSourceDto),
  select: () => externalSourceSql(kind),
})
