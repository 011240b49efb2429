import type { WorkKind } from '../../catalog/kinds.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { offsetAndLimit, type Page } from '../../http/wire/requests/paging.ts'
import { OWN_WORKS_SQL } from './year-queries.ts'

/** Events of a diary, in the order in which they happen to a work. */
export const DIARY_EVENTS = ['STARTED', 'FINISHED', 'RESTARTED', 'REFINISHED'] as const
export type DiaryEvent = (typeof DIARY_EVENTS)[number]

/** One line of a user's diary. */
export type DiaryEntry = {
  kind: WorkKind
  work_id: number
  event: DiaryEvent
  /** A year, a month or a day. */
  at: string
  rate: number | null
}

/** SQL for the diary of the user `$1`. Contains private dates, so only the owner may see it. */
const DIARY_SQL = `(
    select own.kind, own.work_id, 'FINISHED' as event, own.finished_on as at
    from ${OWN_WORKS_SQL} own
    union all
    select progress.kind, progress.work_id, 'STARTED', progress.started_on::text
    from progress
    where progress.account_id = $1
    union all
    select progress.kind, progress.work_id, dated.event, dated.at
    from progress
    cross join jsonb_to_recordset(progress.rereads) reread (started_on text, finished_on text)
    cross join lateral (values ('RESTARTED', reread.started_on), ('REFINISHED', reread.finished_on)) dated (event, at)
    where progress.account_id = $1
  )`

const YEARS = statement('ratings.diary_years').returning<{ year: string; amount: number }>(`
  select left(diary.at, 4) as year, count(*) as amount
  from ${DIARY_SQL} diary
  where diary.at is not null
  group by 1
  order by 1 desc`)

/** Lists the years of a user's diary, the latest first, with the number of entries. */
export const listDiaryYears = (db: Database, accountId: number) => queryRows(db, YEARS, [accountId])

const OF_YEAR = statement('ratings.diary_of_year').returning<DiaryEntry>(`
  select diary.kind, diary.work_id, diary.event, diary.at, rating.rate
  from ${DIARY_SQL} diary
  left join ratings rating on rating.account_id = $1 and rating.work_id = diary.work_id
  where left(diary.at, 4) = $2
  order by
    -- Dates without a day are below the days of their month, and those without a month are last.
    rpad(diary.at, 10, '-') collate "C" desc,
    array_position(array[${DIARY_EVENTS.map((event) => `'${event}'`).join(', ')}], diary.event) desc, diary.work_id
  offset $3 limit $4`)

/** Lists one page of the diary of a year, the latest entry first. */
export function listDiary(
  db: Database,
  accountId: number,
  year: string,
  page: Page,
): Promise<DiaryEntry[]> {
  const { offset, limit } = offsetAndLimit(page)
  return queryRows(db, OF_YEAR, [accountId, year, offset, limit])
}
