import { Type, type Static } from 'typebox'
import { ENTRY_KINDS, KINDS } from '../catalog/kinds.ts'
import { OpenCoverDto } from '../catalog/schemas.ts'
import {
  shownCoverSql,
  shownDaySql,
  developerNameSql,
  isoDaySql,
  isoTimeSql,
  shownTitleSql,
} from '../catalog/sql-fragments.ts'
import {
  DateTime,
  Id,
  Named,
  Nullable,
  NullableDate,
  Ref,
  StringEnum,
} from '../http/wire/schemas.ts'

/** What lists say of an entry of any kind; every property is there for each. */
export const EntrySummary = Named('EntrySummary', {
  type: StringEnum(ENTRY_KINDS, { title: 'EntryType' }),
  id: Id,
  title: Type.String({
    description: 'The translated title or name where there is one, else the original',
  }),
  original_title: Type.String(),
  developer: Type.Union([Type.String(), Type.Null()], {
    description: 'Of a galgame: the name of the first developer',
  }),
  cover: Nullable(Ref(OpenCoverDto)),
  release_date: NullableDate,
  status: Type.Union([Type.String(), Type.Null()], {
    description: 'Of a work: `dev_status`, `novel_status` or `serial_status` of its detail',
  }),
  nsfw: Type.Boolean(),
  score: Type.Union([Type.Number(), Type.Null()], {
    description: 'Of a work: the mean of its scores; null when there are none',
  }),
  readers: Type.Integer({
    minimum: 0,
    description:
      'Public records of a work; of a person, producer or character those of all their works',
  }),
  changed_at: DateTime,
})

export type EntrySummary = Static<typeof EntrySummary>

/**
 * The `EntrySummary` of a row of `listings`, as JSON; null when the entry is not there any more.
 *
 * @param listing what the statement calls the row
 * @param seesNsfw SQL: whether the caller sees nsfw works
 */
export const summarySql = (listing: string, seesNsfw: string) => `
  case ${listing}.kind ${ENTRY_KINDS.map((kind) => {
    const { table, shown } = KINDS[kind]
    return `
    when '${kind}' then (
      select json_build_object(
        'type', '${kind}',
        'id', entry.id,
        'title', ${shownTitleSql(kind, 'entry')},
        'original_title', entry.${shown.title},
        'developer', ${kind === 'galgame' ? developerNameSql('entry') : 'null'},
        'cover', ${shownCoverSql(kind, 'entry')},
        'release_date', ${isoDaySql(shownDaySql(kind, 'entry'))},
        'status', ${shown.status === null ? 'null' : `entry.${shown.status}`},
        'nsfw', ${listing}.nsfw,
        'score', nullif(trim_scale(${listing}.score), 0),
        'readers', case when ${seesNsfw} then ${listing}.readers_full else ${listing}.readers end,
        'changed_at', ${isoTimeSql(`${listing}.changed_at`)}
      )
      from ${table} entry where entry.id = ${listing}.id
    )`
  }).join('')}
  end`
