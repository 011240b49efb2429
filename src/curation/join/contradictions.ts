import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ImportReport, Source } from '../../sources/records/record.ts'
import { sourceRank } from '../derive/source-ranks.ts'

/**
 * Maximum number of days between the dates of a first volume in two sources. A source may state the date of sale, of
 * printing or of the e-book.
 */
const MAX_DATE_GAP_DAYS = 90

/** SQL that joins the records `one` and `other` of a row that names a pair of records. */
export const pairRecords = (pair: string) => sql`
  join source_records one
    on one.kind = ${sql.ref(`${pair}.kind`)}
    and one.source = ${sql.ref(`${pair}.source`)}
    and one.external_id = ${sql.ref(`${pair}.external_id`)}
  join source_records other
    on other.kind = ${sql.ref(`${pair}.kind`)}
    and other.source = ${sql.ref(`${pair}.other_source`)}
    and other.external_id = ${sql.ref(`${pair}.other_external_id`)}`

/** SQL that joins the names `one_name` and `other_name` of the records `one` and `other`. */
export const pairNames = sql`
  left join record_names one_name
    on one_name.kind = one.kind and one_name.source = one.source and one_name.external_id = one.external_id
  left join record_names other_name
    on other_name.kind = other.kind and other_name.source = other.source and other_name.external_id = other.external_id`

/** SQL for the folded names of the authors in a novel's record. */
const authorsOf = (record: string) => sql`(
  select name.folded
  from jsonb_array_elements(coalesce(${sql.ref(`${record}.links`)} -> 'people', '[]')) item
  join record_names name
    on name.source = ${sql.ref(`${record}.source`)} and name.kind = 'person' and name.external_id = item.value ->> 'ref'
  where item.value ->> 'relation' in ('author', 'original_creator')
)`

const differs = (field: string) =>
  sql`(one.fields ->> ${sql.lit(field)} <> other.fields ->> ${sql.lit(field)})`

/** SQL condition: a stated link connects `record` with a record from the source of `to`. */
const isLinked = (record: string, to: string): RawBuilder<boolean> => sql`exists (
  select from source_same_as stated
  where stated.kind = ${sql.ref(`${record}.kind`)}
    and (
      (stated.source, stated.external_id, stated.other_source)
        = (${sql.ref(`${record}.source`)}, ${sql.ref(`${record}.external_id`)}, ${sql.ref(`${to}.source`)})
      or (stated.other_source, stated.other_external_id, stated.source)
        = (${sql.ref(`${record}.source`)}, ${sql.ref(`${record}.external_id`)}, ${sql.ref(`${to}.source`)})
    )
)`

/**
 * SQL condition: another record from the source of `other` has the same title as `titled`, and no stated link connects
 * that record with the source of `titled`.
 */
const isTitleOfAnother = (titled: string, other: string) => sql`exists (
  select from record_names another
  where another.kind = ${sql.ref(`${titled}.kind`)}
    and another.folded = ${sql.ref(`${titled}.folded`)}
    and another.source = ${sql.ref(`${other}.source`)}
    and another.external_id <> ${sql.ref(`${other}.external_id`)}
    and not ${isLinked('another', titled)}
)`

/** SQL condition: the first dates are close enough to be those of one novel. Null if either date is unknown. */
export const areNear = sql`
  (abs((one.fields ->> 'publication_date')::date - (other.fields ->> 'publication_date')::date) <= ${sql.lit(MAX_DATE_GAP_DAYS)})`
export const haveAuthorInCommon = sql`exists (
  select from ${authorsOf('one')} author join ${authorsOf('other')} same on same.folded = author.folded
)`
/** SQL condition: both novels have known authors but no author in common. */
export const haveOtherAuthors = sql`
  exists (select from ${authorsOf('one')} author)
  and exists (select from ${authorsOf('other')} author)
  and not ${haveAuthorInCommon}`

/**
 * SQL for the reasons why two records are not the same, as a text array. It uses `one` and `other` of `source_records`
 * and their names `one_name` and `other_name`.
 */
export const contradictions = sql`array_remove(
  case
    when one.kind in ('character', 'person') then array[
      case
        when ${differs('gender')}
          and 'other' not in (one.fields ->> 'gender', other.fields ->> 'gender') then 'gender'
      end,
      case when ${differs('birthday_month')} or ${differs('birthday_day')} then 'birthday' end,
      case when ${differs('blood_type')} then 'blood_type' end
    ]
    when one_name.folded <> other_name.folded then array[
      case
        when ${isTitleOfAnother('one_name', 'other_name')} or ${isTitleOfAnother('other_name', 'one_name')}
          then 'title_of_another'
      end,
      case
        when one.kind = 'light_novel' and ${areNear} is false and ${haveOtherAuthors} then 'title_author_date'
      end
    ]
  end,
  null
)`

/** Maximum number of records named in the remark. Other records are only counted. */
const MAX_NAMED = 4

/**
 * Reports entries in which a record from this source contradicts a record from another source, so that the current
 * rules would not join them. Accepted pairs are not reported.
 */
export async function reportContradictions(
  trx: Database,
  source: Source,
  report: ImportReport,
): Promise<void> {
  const { rows } = await sql<{ total: number; named: string }>`
    select
      count(*) over () as total,
      format('%s %s:%s %s (%s)',
        other.kind, other.source, other.external_id, other.entry_id, array_to_string(against.facts, ', ')) as named
    from source_records one
    join source_records other
      on other.kind = one.kind and other.entry_id = one.entry_id
      and ${sourceRank('one.source')} < ${sourceRank('other.source')}
    ${pairNames}
    cross join lateral (select coalesce(${contradictions}, '{}') as facts) against
    where ${source} in (one.source, other.source)
      and not is_local_edit(one)
      and cardinality(against.facts) > 0
      and not exists (
        select from matches
        where matches.state = 'accepted' and matches.kind = one.kind
          and (matches.source, matches.external_id, matches.other_source, matches.other_external_id)
            = (one.source, one.external_id, other.source, other.external_id)
      )
    order by other.kind, other.entry_id, other.source, other.external_id
    limit ${MAX_NAMED}`.execute(trx)
  const named = rows.map((row) => row.named).join(', ')
  for (let entry = 0; entry < (rows[0]?.total ?? 0); entry += 1)
    report.note({ code: 'match.contradiction' }, named)
}
