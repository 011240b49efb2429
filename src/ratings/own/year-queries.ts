import { CONCEPT_PARAMETERS, CONCEPT_SQL } from '../../browse/tags/tag-concepts.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'

/** A work that a user finished in a year. */
export type FinishedWork = {
  kind: WorkKind
  work_id: number
  /** A year, a month or a day. */
  finished_on: string
  rate: number | null
  minutes: number
  /** Days from start to finish; null unless both are days. */
  days: number | null
}

/**
 * SQL for the works on the list of the user `$1`, including those with only progress. A finished work without a
 * recorded date was finished when its status was last set. Contains private dates, so only the owner may see it.
 */
export const OWN_WORKS_SQL = `(
    select
      listed.kind, listed.work_id, rating.rate, rating.status,
      coalesce(progress.finished_on::text, to_char(completed.at at time zone 'UTC', 'YYYY-MM-DD')) as finished_on,
      greatest(rating.time_to_finish_minutes, progress.minutes, 0) as minutes,
      case
        when length(progress.started_on) = 10 and length(progress.finished_on) = 10 and progress.started_on <= progress.finished_on
        then progress.finished_on::date - progress.started_on::date
      end as days
    from (
      select kind, work_id from ratings where account_id = $1
      union
      select kind, work_id from progress where account_id = $1
    ) listed
    left join ratings rating on rating.account_id = $1 and rating.work_id = listed.work_id
    left join progress on progress.account_id = $1 and progress.work_id = listed.work_id
    left join (
      select change.work_id, max(change.changed_at) as at
      from rating_changes change
      where change.account_id = $1 and change.fields -> 'status' ->> 'to' = 'COMPLETED'
      group by change.work_id
    ) completed on completed.work_id = listed.work_id and rating.status = 'COMPLETED'
  )`

const YEARS = statement('ratings.finished_years').returning<{ year: string; amount: number }>(`
  select left(finished.finished_on, 4) as year, count(*) as amount
  from ${OWN_WORKS_SQL} finished
  where finished.finished_on is not null
  group by 1
  order by 1 desc`)

/** Lists the years in which a user finished works, the latest first, with the number of works. */
export const listFinishedYears = (db: Database, accountId: number) =>
  queryRows(db, YEARS, [accountId])

const OF_YEAR = statement('ratings.finished_in_year').returning<FinishedWork>(`
  select finished.kind, finished.work_id, finished.finished_on, finished.rate, finished.minutes, finished.days
  from ${OWN_WORKS_SQL} finished
  where left(finished.finished_on, 4) = $2
  order by finished.finished_on, finished.work_id`)

/** Lists the works that a user finished in a year, in the order of their dates. */
export const listFinishedWorks = (db: Database, accountId: number, year: string) =>
  queryRows(db, OF_YEAR, [accountId, year])

/** Maximum number of tags of a year. Pages omit names of entries. */
const MAX_TAGS = 24

const TAGS = statement('ratings.tags_of_works').returning<{ name: string; amount: number }>(`
  select work.name, count(*) as amount
  from (
    select distinct work.id, ${CONCEPT_SQL.name} as name
    from works work
    cross join jsonb_array_elements(work.tags) tag
    ${CONCEPT_SQL.join}
    where work.id = any($1::bigint[]) and ${CONCEPT_SQL.isShown}
  ) work
  group by 1
  order by 2 desc, 1
  limit ${MAX_TAGS}`)

/** Lists the tags that most of the works have, joined by meaning. */
export const listCommonTags = (db: Database, workIds: number[]) =>
  queryRows(db, TAGS, [workIds, ...CONCEPT_PARAMETERS])
