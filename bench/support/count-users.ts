import { sql } from 'kysely'
import { withoutIndexes } from '#test/without-indexes.ts'
import type { Database } from '../../src/db/database.ts'
import { SECTIONS } from '../../src/search/index/sections.ts'

/**
 * Writes what the background tasks would derive from ratings that were never counted: totals, published totals, likes,
 * and the number of users in lists and in the search index.
 */
export async function countUsers(trx: Database) {
  const run = (text: string) => sql.raw(text).execute(trx)
  for (const text of [COUNTS, KINDS, TOTALS, PUBLISHED, LIKES, 'analyze work_totals, listings'])
    await run(text)
  await withoutIndexes(trx, 'listings', async () => {
    for (const text of [LISTINGS_OF_WORKS, LISTINGS_OF_OTHERS]) await run(text)
  })
  await withoutIndexes(trx, 'search_entries', () => run(SEARCH))
  for (const text of [
    BUCKETS,
    BACKGROUND_STATEMENTS,
    'delete from listing_sums_due',
    'delete from search_readers_due',
  ])
    await run(text)
}

/**
 * Counts only the fields that the bench fills. `rating_counted` in the database counts all of them, which takes ten
 * times as long.
 */
const COUNTS = `
  insert into rating_counts (work_id, field, value, amount)
  select work_id, 'status', coalesce(status, 'NONE'), count(*) from ratings where not status_private group by work_id, status
  union all
  select work_id, 'content', 'REVIEW', count(*) from ratings
  where rate_content <> '' and not status_private
  group by work_id
  union all
  select work_id, 'rate', rate::text, count(*) from ratings where rate is not null group by work_id, rate`

const KINDS = `
  update kind_ratings kind
  set total = counted.total, sum = counted.sum
  from (
    select kind, count(rate) as total, coalesce(sum(rate), 0) as sum from ratings group by kind
  ) counted
  where kind.kind = counted.kind`

const TOTALS = `
  insert into work_totals (work_id, kind, readers, score, scores, revision)
  select
    work_id,
    kind,
    count(*) filter (where not status_private),
    coalesce(round(avg(rate), 2), 0),
    count(rate),
    nextval('rating_revisions')
  from ratings
  group by work_id, kind`

const POINTS = Array.from({ length: 10 }, (_, index) => index + 1)

const PUBLISHED = `
  insert into work_ratings (work_id, kind, rating, revision)
  select
    work_id,
    kind,
    concat(
      '{"score":', trim_scale(round(avg(rate), 2)), ',"total":', count(rate), ',"count":{',
      ${POINTS.map((points) => `'"${points}":', count(*) filter (where floor(rate) = ${points})`).join(`, ',', `)},
      '}}'
    )::json,
    nextval('rating_revisions')
  from ratings
  where rate is not null
  group by work_id, kind`

const LIKES = `
  insert into work_likes (work_id, likes)
  select work_id, count(*) from ratings where rate >= 7 and not status_private group by work_id`

const LISTINGS_OF_WORKS = `
  update listings listing
  set score = total.score, scores = total.scores, readers = total.readers, readers_full = total.readers
  from work_totals total
  where listing.kind = total.kind and listing.id = total.work_id`

const LISTINGS_OF_OTHERS = `
  update listings listing
  set
    readers = sums.readers, readers_full = sums.readers_full,
    source_votes = sums.source_votes, source_votes_full = sums.source_votes_full
  from (
    select
      credited.kind,
      credited.id,
      coalesce(sum(work.readers) filter (where not work.nsfw), 0) as readers,
      sum(work.readers) as readers_full,
      coalesce(sum(work.source_votes) filter (where not work.nsfw), 0) as source_votes,
      sum(work.source_votes) as source_votes_full
    from (select distinct kind, id, work_kind, work_id from credited_works) credited
    join listings work on work.kind = credited.work_kind and work.id = credited.work_id
    group by credited.kind, credited.id
  ) sums
  where listing.kind = sums.kind and listing.id = sums.id`

const BACKGROUND_STATEMENTS = `
  update listing_positions set position = (select last_value from rating_revisions) where name = 'totals'`

/** Same key as `bucketKey`, in SQL. */
const bucketOfRow = (row: string) => `
  case
    when ${row}.readers >= 8 then 31 - least(31, length(ltrim(${row}.readers::bit(64)::text, '0')) - 1)
    else 32 + (7 - ${row}.readers) * 1048576 + least(1048575, ${row}.id / 16384)
  end::integer`
const keyOfRow = (row: string) =>
  `((${row}.section::integer << 28) | (1 << 27)) + ${bucketOfRow(row)}`

const SECTIONS_OF_KINDS = SECTIONS.map(({ number, kind }) => `(${number}, '${kind}')`).join(', ')

const SEARCH = `
  update search_entries entry
  set readers = read.readers, grams = array_replace(entry.grams, ${keyOfRow('entry')}, ${keyOfRow('read')})
  from (
    select section.number as section, listing.id, listing.popularity as readers
    from listings listing
    join (values ${SECTIONS_OF_KINDS}) section (number, kind) on section.kind = listing.kind
    where listing.popularity > 0
  ) read
  where entry.section = read.section and entry.id = read.id`

const BUCKETS = `
  insert into search_buckets (section, bucket)
  select distinct entry.section, ${bucketOfRow('entry')} from search_entries entry
  on conflict do nothing`
