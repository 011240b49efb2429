import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { KINDS, type WorkKind } from '../../src/catalog/kinds.ts'
import type { Database } from '../../src/db/database.ts'
import { DEFAULT_RATING, type RatingChange } from '../../src/ratings/fields.ts'
import { saveRating, type Rating } from '../../src/ratings/own/queries.ts'
import { eventually } from './browser.ts'
import type { TestService } from './service.ts'

export type Work = { id: number; kind: WorkKind }

/** Returns a work's path in the catalog. */
export const workPathOf = ({ id, kind }: Work) => `/api/v3/open/${KINDS[kind].path}/${id}`

/** Creates accounts that cannot sign in, faster than real sign-ups. */
export async function createAccounts(db: Database, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with created as (
      insert into accounts (email, password_hash, name)
      select gen_random_uuid() || '@example.org', 'none', 'Reader ' || number
      from generate_series(1, ${count}::integer) number
      returning id
    )
    insert into account_refs (id) select id from created order by id returning id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Writes a rating as PUT does, without an HTTP request. */
export async function writeRating(
  db: Database,
  accountId: number,
  { id, kind }: Work,
  change: RatingChange,
): Promise<Rating> {
  const saved = JSON.parse(await saveRating(db, { accountId, kind, workId: id }, 'a test', change))
  const { created_at, updated_at } = saved
  return {
    ...DEFAULT_RATING,
    ...saved,
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
  }
}

/** Applies deltas until none are pending. */
export const waitForTotals = (db: Database) =>
  eventually(async () => {
    const { rows } = await sql`
      select from rating_deltas union all select from vote_deltas limit 1`.execute(db)
    return rows.length === 0
  }, 'all deltas are applied')

/** SQL for whether a rating counts: its user is not banned, and its review is not hidden. */
const isCounted = (rating: string) =>
  sql.raw(`not exists (select from accounts where id = ${rating}.account_id and banned_at is not null)
    and not exists (
      select from takedowns where kind = 'REVIEW' and subject = ${rating}.id::text and restored_at is null
    )`)

const FRESH_COUNTS = sql`
  select record.work_id::text || ' ' || said.field || ' ' || said.value as what, count(*) as amount
  from ratings record
  cross join lateral (
    select 'status', coalesce(record.status, 'NONE') where not record.status_private
    union all
    select 'content', 'REVIEW' where not record.status_private and record.rate_content <> ''
    union all
    select field, value from jsonb_each_text(to_jsonb(record)) each(field, value)
    where field ~ '^rate(_[a-z]+)?$' and field <> 'rate_content' and value is not null
  ) said(field, value)
  where ${isCounted('record')}
  group by 1 order by 1`

const FRESH_TOTALS = sql`
  select
    work_id,
    kind,
    count(*) filter (where not status_private) as readers,
    coalesce(round(avg(rate), 2), 0) as score
  from ratings
  where ${isCounted('ratings')}
  group by work_id, kind
  having count(*) filter (where not status_private) > 0 or avg(rate) > 0
  order by work_id`

const FRESH_KINDS = sql`
  select kind, coalesce(fresh.total, 0) as total, coalesce(fresh.sum, 0) as sum
  from kind_ratings
  left join (
    select kind, count(rate) as total, sum(rate) as sum from ratings
    where ${isCounted('ratings')}
    group by kind
  ) fresh using (kind)
  order by kind`

const FRESH_VOTES = sql`
  select record.id, count(*) filter (where vote.liked) as likes, count(*) filter (where not vote.liked) as dislikes
  from ratings record
  left join review_votes vote on vote.rating_id = record.id
    and not exists (select from accounts where id = vote.voter_id and banned_at is not null)
  group by record.id order by record.id`

const FRESH_RATINGS = sql<Work & { score: number; total: number; points: number[] }>`
  select work.id, work.kind, count(rate) as total, coalesce(round(avg(rate), 2), 0) as score,
    coalesce(array_agg(floor(rate)::integer) filter (where rate is not null), '{}') as points
  from works work
  left join ratings record on record.work_id = work.id
    and ${isCounted('record')}
  group by work.id order by work.id`

/** Asserts that all totals match a fresh count of the ratings. */
export async function assertExactCounts(db: Database) {
  const rows = async (statement: typeof FRESH_COUNTS) => (await statement.execute(db)).rows
  assert.deepEqual(
    await rows(sql`
      select work_id::text || ' ' || field || ' ' || value as what, amount from rating_counts order by 1`),
    await rows(FRESH_COUNTS),
  )
  assert.deepEqual(
    await rows(sql`
      select work_id, kind, readers, score from work_totals where readers > 0 or score > 0 order by work_id`),
    await rows(FRESH_TOTALS),
  )
  assert.deepEqual(
    await rows(sql`select kind, total, sum from kind_ratings order by kind`),
    await rows(FRESH_KINDS),
  )
  assert.deepEqual(
    await rows(
      sql`select id, like_count as likes, dislike_count as dislikes from ratings order by id`,
    ),
    await rows(FRESH_VOTES),
  )
}

/**
 * Asserts that every history is consistent: each change starts where the previous one ended, and the last one ends
 * with the current rating.
 */
export async function assertExactHistories(db: Database) {
  type Change = {
    key: string
    action: string
    fields: Record<string, { from: unknown; to: unknown }>
  }
  const { rows: changes } = await sql<Change>`
    select account_id || ' ' || work_id as key, action, fields from rating_changes order by id`.execute(
    db,
  )
  const current = new Map<string, Record<string, unknown>>()
  for (const { key, action, fields } of changes) {
    const before = current.get(key)
    assert.equal(action === 'CREATED', before === undefined, `${key} ${action}`)
    const record = before ?? { ...DEFAULT_RATING, status: null }
    for (const [field, { from, to }] of Object.entries(fields)) {
      assert.deepEqual(record[field], from, `${key} ${action} ${field}`)
      record[field] = to
    }
    if (action === 'DELETED') {
      assert.deepEqual(record, { ...DEFAULT_RATING, status: null }, `${key} ${action}`)
      current.delete(key)
    } else current.set(key, record)
  }
  const { rows } = await sql<{ key: string; said: object }>`
    select account_id || ' ' || work_id as key, rating_fields(rating) as said from ratings rating`.execute(
    db,
  )
  assert.deepEqual(
    Object.fromEntries(current),
    Object.fromEntries(rows.map(({ key, said: fields }) => [key, fields])),
  )
}

/** Returns the expected `rating` of each work. */
export async function expectedRatings(db: Database) {
  const { rows } = await FRESH_RATINGS.execute(db)
  return rows.map(({ id, kind, score, total, points }) => ({
    work: { id, kind },
    rating: {
      score,
      total,
      count: Object.fromEntries(
        Array.from({ length: 10 }, (_, index) => [
          String(index + 1),
          points.filter((point) => point === index + 1).length,
        ]),
      ),
    },
  }))
}

/** Returns the `rating` in a work's detail, as one process reports it. */
export async function fetchRating(service: { get: TestService['get'] }, token: string, work: Work) {
  const response = await service.get(workPathOf(work), token)
  assert.equal(response.status, 200)
  // as: §2.3, decision 0002
  const { data } = (await response.json()) as {
    data: { rating: { score: number; total: number; count: Record<string, number> } }
  }
  return data.rating
}
