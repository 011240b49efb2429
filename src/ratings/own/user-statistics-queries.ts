import { CONCEPT_PARAMETERS, CONCEPT_SQL, NO_CONCEPTS } from '../../browse/tags/tag-concepts.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { wholePointsSql } from '../../catalog/whole-points.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { byViewer, VISIBLE_TO, type Viewer } from './lists/visibility-fragments.ts'
import { OWN_WORKS_SQL } from './year-queries.ts'

/** Number of works, and the mean of their scores. */
type CountAndMean = { amount: number; mean: number | null }

export type UserStatistics = {
  /** Number of ratings per whole point, in ascending order. Points without ratings are omitted. */
  scores: { score: number; amount: number }[]
  kinds: (CountAndMean & { kind: WorkKind; completed: number; minutes: number })[]
  /** Ratings per decade. A decade is identified by its first year. Only works with a known date are counted. */
  decades: (CountAndMean & { decade: number })[]
  /**
   * Number of works finished in each of the last twelve months, as `YYYY-MM` in UTC. For the owner, counted by
   * recorded dates where they exist; otherwise, and for other viewers, by the time at which the status was set.
   */
  months: { month: string; amount: number }[]
  /** Tags of at least `MIN_WORKS` rated works, best rated first. */
  tags: (CountAndMean & { name: string })[]
  people: (CountAndMean & {
    id: number
    name: string
    trans_name: string | null
    romaji_title: string | null
  })[]
}

/** Totals of a user's list in one row. */
export type UserTotals = { amount: number; finished: number; mean: number | null; minutes: number }

const MEAN = 'round(avg(rating.rate), 2)'
/** Minimum number of rated works behind a ranked tag or person. */
const MIN_WORKS = 3
const MAX_RANKED = 12

const RANKED = `having count(*) >= ${MIN_WORKS} order by avg(rating.rate) desc, count(*) desc, 1`

const FIRST_MONTH = `date_trunc('month', now() at time zone 'UTC') - interval '11 months'`

const OWN_MONTHS = `
    select left(own.finished_on, 7) as month, count(*) as amount
    from ${OWN_WORKS_SQL} own
    where length(own.finished_on) >= 7
      and left(own.finished_on, 7) between to_char(${FIRST_MONTH}, 'YYYY-MM') and to_char(now() at time zone 'UTC', 'YYYY-MM')
    group by 1 order by 1`

const monthsSql = (ofUser: string) => `
    select to_char(completed.at at time zone 'UTC', 'YYYY-MM') as month, count(*) as amount
    from (
      select change.work_id, max(change.changed_at) as at
      from rating_changes change
      join ratings rating on rating.account_id = change.account_id and rating.work_id = change.work_id
      ${ofUser}
        and rating.status = 'COMPLETED'
        and change.fields -> 'status' ->> 'to' = 'COMPLETED'
      group by change.work_id
    ) completed
    where completed.at >= (${FIRST_MONTH}) at time zone 'UTC'
    group by 1 order by 1`

const statementsFor = (viewer: Viewer) => {
  const ofUser = `where rating.account_id = $1${VISIBLE_TO[viewer]}`
  const listed =
    viewer === 'owner'
      ? OWN_WORKS_SQL
      : `(select rating.kind, rating.status, rating.rate, rating.time_to_finish_minutes as minutes from ratings rating ${ofUser})`
  return {
    totals: statement(`ratings.totals_for_${viewer}`).returning<UserTotals>(`
    select
      count(*) as amount, count(*) filter (where rating.status = 'COMPLETED') as finished,
      ${MEAN} as mean, coalesce(sum(rating.minutes), 0) as minutes
    from ${listed} rating`),

    scores: statement(`ratings.scores_for_${viewer}`).returning<UserStatistics['scores'][number]>(`
    select ${wholePointsSql('rating.rate')} as score, count(*) as amount
    from ratings rating ${ofUser} and rating.rate is not null
    group by 1 order by 1`),

    kinds: statement(`ratings.kinds_for_${viewer}`).returning<UserStatistics['kinds'][number]>(`
    select
      rating.kind, count(*) as amount, count(*) filter (where rating.status = 'COMPLETED') as completed,
      ${MEAN} as mean, sum(rating.minutes) as minutes
    from ${listed} rating
    group by rating.kind order by count(*) desc, rating.kind`),

    decades: statement(`ratings.decades_for_${viewer}`).returning<
      UserStatistics['decades'][number]
    >(`
    select (extract(year from listing.released)::integer / 10) * 10 as decade, count(*) as amount, ${MEAN} as mean
    from ratings rating
    join listings listing on listing.kind = rating.kind and listing.id = rating.work_id
    ${ofUser} and isfinite(listing.released)
    group by 1 order by 1`),

    months: statement(`ratings.months_for_${viewer}`).returning<UserStatistics['months'][number]>(
      viewer === 'owner' ? OWN_MONTHS : monthsSql(ofUser),
    ),

    tags: statement(`ratings.tags_for_${viewer}`).returning<UserStatistics['tags'][number]>(`
    select rating.name, count(*) as amount, ${MEAN} as mean
    from (
      select distinct rating.work_id, rating.rate, ${CONCEPT_SQL.name} as name
      from ratings rating
      join works work on work.id = rating.work_id
      cross join jsonb_array_elements(work.tags) tag
      ${CONCEPT_SQL.join}
      ${ofUser} and rating.rate is not null and ${CONCEPT_SQL.isShown}
    ) rating
    group by 1 ${RANKED} limit $5::integer`),

    people: statement(`ratings.people_for_${viewer}`).returning<UserStatistics['people'][number]>(`
    select person.id, person.name, person.trans_name, latin_name(person.name, person.aliases) as romaji_title, count(*) as amount, ${MEAN} as mean
    from ratings rating
    cross join lateral (
      select distinct credit.id from credited_works credit
      where credit.kind = 'person' and credit.work_kind = rating.kind and credit.work_id = rating.work_id
    ) credit
    join people person on person.id = credit.id
    ${ofUser} and rating.rate is not null
    group by person.id ${RANKED} limit ${MAX_RANKED}`),
  }
}

const STATEMENTS = byViewer(statementsFor)

/** @param joinsTags whether tags of the sources with the same meaning count as one */
export async function findUserStatistics(
  db: Database,
  accountId: number,
  viewer: Viewer = 'owner',
  joinsTags = false,
): Promise<UserStatistics> {
  const statements = STATEMENTS[viewer]
  const [scores, kinds, decades, months, tags, people] = await Promise.all([
    queryRows(db, statements.scores, [accountId]),
    queryRows(db, statements.kinds, [accountId]),
    queryRows(db, statements.decades, [accountId]),
    queryRows(db, statements.months, [accountId]),
    joinsTags
      ? listUserTags(db, accountId, viewer)
      : queryRows(db, statements.tags, [accountId, ...NO_CONCEPTS, MAX_RANKED]),
    queryRows(db, statements.people, [accountId]),
  ])
  return { scores, kinds, decades, months, tags, people }
}

/** Returns the totals of a user's list. */
export async function findUserTotals(
  db: Database,
  accountId: number,
  viewer: Viewer = 'owner',
): Promise<UserTotals> {
  const [totals] = await queryRows(db, STATEMENTS[viewer].totals, [accountId])
  return totals ?? { amount: 0, finished: 0, mean: null, minutes: 0 }
}

/**
 * Lists the tags that a user rates highest, best first, joined by meaning. Returns more than pages show, because
 * pages omit names of entries.
 */
export const listUserTags = (
  db: Database,
  accountId: number,
  viewer: Viewer,
): Promise<UserStatistics['tags']> =>
  queryRows(db, STATEMENTS[viewer].tags, [accountId, ...CONCEPT_PARAMETERS, 2 * MAX_RANKED])
