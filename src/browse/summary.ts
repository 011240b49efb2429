import { type Static, Type } from 'typebox'
import { ENTRY_KINDS, isWorkKind, KINDS, type EntryKind } from '../catalog/kinds.ts'
import { DEVELOPER_NAMES, LOCALIZED_TITLES, OpenCoverDto } from '../catalog/schemas.ts'
import {
  developerJoinSql,
  developerNamesSql,
  localizedTitlesSql,
  isoDaySql,
  isoTimeSql,
  shownCoverSql,
  shownDaySql,
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
import { PageMeta } from '../http/wire/requests/paging.ts'

/** Summary of an entry in lists. All kinds have the same properties. */
export const EntrySummary = Named('EntrySummary', {
  type: StringEnum(ENTRY_KINDS, { title: 'EntryType' }),
  id: Id,
  title: Type.String({
    description: 'Translated title or name, or the original if it has no translation',
  }),
  original_title: Type.String(),
  ...LOCALIZED_TITLES,
  ...DEVELOPER_NAMES,
  cover: Nullable(Ref(OpenCoverDto)),
  release_date: NullableDate,
  status: Nullable(Type.String(), {
    description: '`dev_status`, `novel_status` or `serial_status` of the detail, for a work',
  }),
  nsfw: Type.Boolean(),
  score: Nullable(Type.Number(), {
    description: 'Mean score of a work, or null if it has no scores',
  }),
  weighted_score: Nullable(Type.Number(), {
    description:
      'Score by which works are ranked: users’ scores combined with the mean at the sources, which weighs as much as ten users. Null for fewer than five scores and votes',
  }),
  score_votes: Type.Integer({
    minimum: 0,
    description: 'Number of users’ scores and of votes at the sources behind `weighted_score`',
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
 * @param kinds possible kinds of the row. Fewer kinds make planning faster.
 */
export const summarySql = (
  listing: string,
  seesNsfw: string,
  kinds: readonly EntryKind[] = ENTRY_KINDS,
) => `
  case ${listing}.kind ${ENTRY_KINDS.filter((kind) => kinds.includes(kind))
    .map((kind) => {
      const { table, shown } = KINDS[kind]
      return `
    when '${kind}' then (
      select json_build_object(
        'type', '${kind}',
        'id', entry.id,
        'title', ${shownTitleSql(kind, 'entry')},
        'original_title', entry.${shown.title},
        ${localizedTitlesSql(kind, 'entry')},
        ${developerNamesSql(kind)},
        'cover', ${shownCoverSql(kind, 'entry')},
        'release_date', ${isoDaySql(shownDaySql(kind, 'entry'))},
        'status', ${shown.status === null ? 'null' : `entry.${shown.status}`},
        'nsfw', ${listing}.nsfw,
        'score', nullif(trim_scale(${listing}.score), 0),
        'weighted_score', ${isWorkKind(kind) ? `nullif(trim_scale(${listing}.weighted_score), 0)` : 'null'},
        'score_votes', ${isWorkKind(kind) ? `${listing}.scores + ${listing}.source_votes` : '0'},
        'readers', case when ${seesNsfw} then ${listing}.readers_full else ${listing}.readers end,
        'changed_at', ${isoTimeSql(`${listing}.changed_at`)}
      )
      from ${table} entry${developerJoinSql(kind, 'entry')} where entry.id = ${listing}.id
    )`
    })
    .join('')}
  end`

/** A page of a list of entries (decision 0017). */
export const EntryPage = Named('EntryPage', {
  items: Type.Array(Ref(EntrySummary)),
  meta: Ref(PageMeta),
  next_cursor: Nullable(Type.String(), {
    description:
      'Cursor of the next page, null on the last page; entries that are added or removed do not shift it',
  }),
})

/**
 * Returns SQL for an entry's `EntrySummary` as JSON, or null if the entry does not exist. An entry without a row in
 * `listings` has 0 users.
 *
 * @param entry alias of a row with `kind` and `id`
 * @param seesNsfw SQL for whether the caller sees nsfw works
 * @param kinds see `summarySql`
 */
export const entrySummarySql = (
  entry: string,
  seesNsfw: string,
  kinds: readonly EntryKind[] = ENTRY_KINDS,
) => `(
    select ${summarySql('listed', seesNsfw, kinds)}
    from (
      select
        ${entry}.kind,
        ${entry}.id,
        coalesce(work.nsfw, false) as nsfw,
        coalesce(listing.score, 0) as score,
        coalesce(listing.weighted_score, 0) as weighted_score,
        coalesce(listing.scores, 0) as scores,
        coalesce(listing.source_votes, 0) as source_votes,
        coalesce(listing.readers, 0) as readers,
        coalesce(listing.readers_full, 0) as readers_full,
        coalesce(listing.changed_at, work.updated_at, now()) as changed_at
      from (select) nothing
      left join listings listing on listing.kind = ${entry}.kind and listing.id = ${entry}.id
      left join works work on work.id = ${entry}.id and work.kind = ${entry}.kind
    ) listed
  )`
