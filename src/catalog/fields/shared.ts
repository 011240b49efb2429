import { Type } from 'typebox'
import { DateTime, Id, Nullable, Ref } from '../../http/wire/schemas.ts'
import { EXAMPLE_TIME } from '../example-parts.ts'
import { OpenExternalSourceDto, OpenRatingDto, OpenTagDto } from '../schemas.ts'
import type { EntryKind } from '../kinds.ts'
import { externalSourceSql, isoTime, ratingSql } from '../sql-fragments.ts'
import { isTime } from './column-limits.ts'
import { StatedCount, StatedObject, StatedText } from './stated-values.ts'
import { describedText, VALUES } from './value-types.ts'

/** Fields shared by several kinds. */

const time = {
  stated: Type.String(),
  answer: DateTime,
  fallback: null,
  select: (entry: string, name: string) => isoTime(`${entry}.${name}`),
  canHold: isTime,
  example: EXAMPLE_TIME,
}
/**
 * Last fields of every entry's response. In records, they are the date or date-time of the entry at its source; without
 * them, the time of the import counts. They cannot be set by hand.
 */
export const TIME_FIELDS = {
  created_at: time,
  updated_at: time,
  revised_at: { ...time, answer: Nullable(DateTime), example: null },
}

/** A reader's tag and how many readers gave it. */
export const StatedTag = StatedObject({ name: StatedText, likes: StatedCount })

/** The columns of `works`. */
export const WORK_FIELDS = {
  nsfw: {
    ...VALUES.flag,
    answer: Type.Boolean({ description: 'Seen only with `catalog:full`' }),
    example: false,
  },
  // Most likes first.
  tags: { ...VALUES.listOf(StatedTag, Ref(OpenTagDto)), example: [] },
  ...TIME_FIELDS,
}

/** Last fields of a work's response, read from `works work` (§2.3, decision 0002). */
export const WORK_ANSWER = {
  tags: WORK_FIELDS.tags,
  rating: {
    answer: Ref(OpenRatingDto),
    select: ratingSql,
    example: {
      score: 0,
      total: 0,
      count: { '1': 0, '2': 0, '3': 0, '4': 0, '5': 0, '6': 0, '7': 0, '8': 0, '9': 0, '10': 0 },
    },
  },
  nsfw: WORK_FIELDS.nsfw,
  ...TIME_FIELDS,
}

const outside = (site: string) => `Its id at ${site}; null where none is known`
/** Id of an entry at another site. @param sql expression that yields it */
export const outsideNumber = (site: string, sql: string | ((entry: string) => string)) => ({
  answer: Type.Union([Id, Type.Null()], { description: outside(site) }),
  select: typeof sql === 'string' ? () => sql : sql,
})
export const outsideText = (site: string, sql: string) => ({
  answer: describedText(outside(site)),
  select: () => sql,
})
/** Both ids as written by the sources, read from `outsideIds`. */
export const externalSource = (kind: EntryKind) => ({
  answer: Ref(OpenExternalSourceDto),
  select: () => externalSourceSql(kind),
})
