import type { WorkKind } from '../../catalog/kinds.ts'
import { wholePointsSql } from '../../catalog/whole-points.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { byViewer, VISIBLE_TO, type Viewer } from './lists/visibility-fragments.ts'

/** How many records there are of something, and the mean of their scores where there are any. */
type Share = { amount: number; mean: number | null }

/** What a reader's records are in numbers, as they see it themselves or others do. */
export type UserStatistics = {
  /** Number of records by whole points, in ascending order; points that no score has are omitted. */
  scores: { score: number; amount: number }[]
  kinds: (Share & { kind: WorkKind; completed: number; minutes: number })[]
  /** By the first year of ten, of the works whose date is known. */
  decades: (Share & { decade: number })[]
  /** By month of UTC, `YYYY-MM`, of the last twelve: works that were completed. */
  months: { month: string; amount: number }[]
  /** Those of three rated works at least, the best rated first. */
  tags: (Share & { name: string })[]
  people: (Share & { id: number; name: string; trans_name: string | null })[]
}

const OWN = 'from ratings rating'
const MEAN = 'round(avg(rating.rate), 2)'
/** Fewer say nothing. */
const FEWEST = 3
const SHOWN = 12

const BEST = `having count(*) >= ${FEWEST} order by avg(rating.rate) desc, count(*) desc, 1 limit ${SHOWN}`

const statementsFor = (looker: Viewer) => {
  const ofReader = `where rating.account_id = $1${VISIBLE_TO[looker]}`
  return {
    scores: statement(`ratings.scores_of_${looker}`).returning<UserStatistics['scores'][number]>(`
    select ${wholePointsSql('rating.rate')} as score, count(*) as amount
    ${OWN} ${ofReader} and rating.rate is not null
    group by 1 order by 1`),

    kinds: statement(`ratings.kinds_of_${looker}`).returning<UserStatistics['kinds'][number]>(`
    select
      rating.kind, count(*) as amount, count(*) filter (where rating.status = 'COMPLETED') as completed,
      ${MEAN} as mean, sum(rating.time_to_finish_minutes) as minutes
    ${OWN} ${ofReader}
    group by rating.kind order by count(*) desc, rating.kind`),

    decades: statement(`ratings.decades_of_${looker}`).returning<
      UserStatistics['decades'][number]
    >(`
    select (extract(year from listing.released)::integer / 10) * 10 as decade, count(*) as amount, ${MEAN} as mean
    ${OWN}
    join listings listing on listing.kind = rating.kind and listing.id = rating.work_id
    ${ofReader} and isfinite(listing.released)
    group by 1 order by 1`),

    months: statement(`ratings.months_of_${looker}`).returning<UserStatistics['months'][number]>(`
    select to_char(completed.at at time zone 'UTC', 'YYYY-MM') as month, count(*) as amount
    from (
      select change.work_id, max(change.changed_at) as at
      from rating_changes change
      join ratings rating on rating.account_id = change.account_id and rating.work_id = change.work_id
      ${ofReader}
        and rating.status = 'COMPLETED'
        and change.fields -> 'status' ->> 'to' = 'COMPLETED'
      group by change.work_id
    ) completed
    where completed.at >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' - interval '11 months'
    group by 1 order by 1`),

    tags: statement(`ratings.tags_of_${looker}`).returning<UserStatistics['tags'][number]>(`
    select tag.value ->> 'name' as name, count(*) as amount, ${MEAN} as mean
    ${OWN}
    join works work on work.id = rating.work_id
    cross join jsonb_array_elements(work.tags) tag
    ${ofReader} and rating.rate is not null
    group by 1 ${BEST}`),

    people: statement(`ratings.people_of_${looker}`).returning<UserStatistics['people'][number]>(`
    select person.id, person.name, person.trans_name, count(*) as amount, ${MEAN} as mean
    ${OWN}
    cross join lateral (
      select distinct credit.id from credited_works credit
      where credit.kind = 'person' and credit.work_kind = rating.kind and credit.work_id = rating.work_id
    ) credit
    join people person on person.id = credit.id
    ${ofReader} and rating.rate is not null
    group by person.id ${BEST}`),
  }
}

const STATEMENTS = byViewer(statementsFor)

/** Everything at once; each is a statement of that reader's records. */
export async function findUserStatistics(
  db: Database,
  accountId: number,
  looker: Viewer = 'own',
): Promise<UserStatistics> {
  const statements = STATEMENTS[looker]
  const [scores, kinds, decades, months, tags, people] = await Promise.all([
    queryRows(db, statements.scores, [accountId]),
    queryRows(db, statements.kinds, [accountId]),
    queryRows(db, statements.decades, [accountId]),
    queryRows(db, statements.months, [accountId]),
    queryRows(db, statements.tags, [accountId]),
    queryRows(db, statements.people, [accountId]),
  ])
  return { scores, kinds, decades, months, tags, people }
}
