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

/** Summary of an entry in lists. All kinds have the same properties. */
export const EntrySummary = Named('EntrySummary', {
  type: StringEnum(ENTRY_KINDS, { title: 'EntryType' }),
  id: Id,
  title: Type.String({
    description: 'Translated title or name, or the original if it has no translation',
  }),
  original_title: Type.String(),
  developer: Type.Union([Type.String(), Type.Null()], {
    description: 'Name of the first developer, for a galgame',
  }),
  cover: Nullable(Ref(OpenCoverDto)),
  release_date: NullableDate,
  status: Type.Union([Type.String(), Type.Null()], {
    description: '`dev_status`, `novel_status` or `serial_status` of the detail, for a work',
  }),
  nsfw: Type.Boolean(),
  score: Type.Union([Type.Number(), Type.Null()], {
    description: 'Mean score of a work, or null if it has no scores',
  }),
  readers: Type.Integer({
    minimum: 0,
    description:
      'Number of public ratings of a work; for a person, producer or character, the sum over their works',
  }),
  changed_at: DateTime,
})

export type EntrySummary = Static<typeof EntrySummary>

/**
 * Returns SQL for the `EntrySummary` for a row of `listings` as JSON, or null if the entry no longer exists.
 *
 * @param listing alias of the row
 * @param seesNsfw SQL for whether the caller sees nsfw works
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
