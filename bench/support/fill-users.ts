import { sql } from 'kysely'
import { withoutIndexes } from '#test/without-indexes.ts'
import { createAccount } from '../../src/accounts/queries.ts'
import type { Database } from '../../src/db/database.ts'
import { inLongTransaction } from '../../src/db/server/long-transaction.ts'
import { saveProfileSettings } from '../../src/profiles/queries.ts'
import { fieldChanges, currentFields, absentFields } from '../../src/ratings/own/sql-fragments.ts'
import { countUsers } from './count-users.ts'

/** Mean number of ratings per work. */
const RATINGS_PER_WORK = 10
/** Approximate number of ratings per user. Popular works may be drawn twice. */
const RECORDS = 100
/** Users who all review one work and nothing else. */
const FANS = 2_000

/** The user who signs in, with the same number of ratings on every catalog, spread over all works. */
export const BENCH_USER = {
  name: 'Bench reader',
  email: 'bench-reader@example.org',
  password: 'correct horse battery',
}
export const BENCH_PROFILE = 'bench-reader'

/** Coprime to every number of works, so that its multiples visit each work once. */
const STRIDE = 7_368_787

/**
 * Gives an unrated catalog its users: ten ratings per work on average, many for a few works; a twentieth with a
 * review, and a vote on each review; collections and public profiles; one work with two thousand reviews; and
 * `BENCH_USER`. Also writes history, totals, lists and search as the background tasks would. Uses set-based SQL and
 * needs a superuser. A million works take minutes.
 */
export async function fillUsers(db: Database) {
  await inLongTransaction(db, Infinity, async (trx) => {
    const id = await addReader(trx)
    const run = (text: string) => sql.raw(text).execute(trx)
    await run(`set local work_mem = '256MB'`)
    await run(`set local maintenance_work_mem = '1GB'`)
    // Later statements refer to rows of earlier ones.
    await run('set local session_replication_role = replica')
    for (const text of [ORDER_WORKS, USERS_SQL]) await run(text)
    await withoutIndexes(trx, 'ratings', async () => {
      for (const text of [ratingsOfAll(), RATINGS_OF_FANS, ratingsOfOne(id)]) await run(text)
    })
    for (const text of [
      'analyze ratings',
      HISTORY,
      votes(id),
      COLLECTIONS,
      'analyze collections',
      COLLECTION_ITEMS,
      ITEM_COUNTS,
      PROFILES,
    ])
      await run(text)
    await countUsers(trx)
  })
}

async function addReader(trx: Database): Promise<number> {
  const id = await createAccount(trx, BENCH_USER)
  if (id === undefined) throw new Error(`${BENCH_USER.email} is taken`)
  await saveProfileSettings(trx, id, {
    is_shown: true,
    name: BENCH_PROFILE,
    may_be_found: true,
    shows_list: true,
    shows_statistics: true,
    shows_reviews: true,
    shows_collections: true,
  })
  return id
}

/**
 * SQL for `bench_works`, whose `place` is an order independent of the ids. The fans review the last galgame that
 * guests can see.
 */
const ORDER_WORKS = `
  create temporary table bench_works on commit drop as
  select
    id, kind, nsfw,
    (row_number() over (order by id) - 1) * ${STRIDE} % count(*) over () as place,
    count(*) over () as works
  from works;
  create index on bench_works (place);
  create temporary table bench_hot_work on commit drop as
  select id, kind from bench_works where kind = 'galgame' and not nsfw order by place desc limit 1;
  analyze bench_works, bench_hot_work`

const USERS_SQL = `
  create temporary table bench_readers (id bigint primary key, number bigint, is_fan boolean, alike bigint) on commit drop;
  with made as (
    insert into accounts (email, password_hash, name)
    select 'silent-' || number || '@example.org', 'none', 'Silent ' || number
    from generate_series(
      1, (select ceil(count(*) * ${RATINGS_PER_WORK / RECORDS})::bigint from works) + ${FANS}
    ) number
    returning id
  )
  insert into bench_readers
  select
    id,
    number - 1 - case when number > ${FANS} then ${FANS} else 0 end,
    number <= ${FANS},
    count(*) over (partition by number <= ${FANS})
  from (select id, row_number() over (order by id) as number from made) made;
  insert into account_refs (id) select id from bench_readers;
  analyze bench_readers`

/** SQL for a deterministic 31-bit number. */
const drawn = (seed: string) => `(hashint8(${seed}) & 2147483647)`

const COLUMNS = `
  account_id, work_id, kind, status, status_private, rate, rate_content, like_count, created_at, updated_at`

/** SQL for review number `n` of the work `work`. */
const ratingFields = (account: string, n: string, reviewEach: number) => `
  ${account}, work.id, work.kind,
  (array['COMPLETED', 'COMPLETED', 'COMPLETED', 'GOING', 'ON_HOLD', 'DROPPED', 'PLAN'])[1 + ${n} % 7],
  ${n} % 50 = 0,
  case when ${n} % 7 < 6 then
    -- Between 3 and 8 in the mean, half a point at a time.
    greatest(1, least(10, (6 + ${drawn('work.id')} % 11 + ${n} / 64 % 9 - 4) / 2.0))
  end,
  case when ${n} % ${reviewEach} = 0 then 'A review of some words, of those that readers write. Number ' || ${n} else '' end`

/** Ratings of a user are placed quadratically: the work at `place` has about 5 √(works ÷ place) users. */
const ratingsOfAll = () => `
  insert into ratings (${COLUMNS})
  select
    ${ratingFields('reader.id', 'lot.n', 20)},
    case when lot.n % 20 = 0 and lot.n % 50 <> 0 then 1 else 0 end,
    moment, moment
  from bench_readers reader
  cross join (select count(*) as works from bench_works) catalog
  cross join generate_series(0, ${RECORDS - 1}) record
  cross join lateral (
    select ${drawn(`reader.number * ${RECORDS} + record`)} as n
  ) lot
  join bench_works work
    on work.place = floor(catalog.works * power((record + lot.n / 2147483648.0::float8) / ${RECORDS}, 2))::bigint
  cross join lateral (select now() - lot.n % 1000000 * interval '1 minute' as moment) written
  where not reader.is_fan and work.id <> (select id from bench_hot_work)
  on conflict (account_id, work_id) do nothing`

/** `BENCH_USER` also likes the first twenty reviews. */
const RATINGS_OF_FANS = `
  insert into ratings (${COLUMNS})
  select
    reader.id, work.id, work.kind, 'COMPLETED', false, 1 + reader.number % 10,
    'What everybody says of it, and a word of my own: ' || reader.number,
    reader.number % 9 + case when reader.number < 20 then 1 else 0 end,
    now() - reader.number * interval '1 minute', now() - reader.number * interval '1 minute'
  from bench_readers reader cross join bench_hot_work work
  where reader.is_fan`

const ratingsOfOne = (account: number) => `
  insert into ratings (${COLUMNS})
  select
    ${ratingFields(String(account), 'work.place', 5)},
    0,
    now() - work.place * interval '1 second', now() - work.place * interval '1 second'
  from bench_works work
  where work.place % greatest(1, works / ${RECORDS}) = 0 and work.id <> (select id from bench_hot_work)
  order by work.place
  limit ${RECORDS}`

const HISTORY = `
  insert into rating_changes (account_id, work_id, kind, action, fields, changed_at)
  select
    account_id, work_id, kind, 'CREATED',
    ${fieldChanges(['status', 'status_private', 'rate', 'rate_content'], absentFields, currentFields('rating'))},
    created_at
  from ratings rating
  order by account_id, created_at`

/** Writes `like_count` votes for each review: from the next user, the next fans, and `BENCH_USER`. */
const votes = (account: number) => `
  insert into review_votes (voter_id, account_id, work_id, rating_id, liked)
  select voter.id, rating.account_id, rating.work_id, rating.id, true
  from bench_readers author
  join ratings rating on rating.account_id = author.id and rating.like_count > 0
  cross join lateral generate_series(
    1, case when author.is_fan then author.number % 9 else 1 end
  ) distance
  join bench_readers voter
    on voter.is_fan = author.is_fan and voter.number = (author.number + distance) % author.alike
  union all
  select ${account}, rating.account_id, rating.work_id, rating.id, true
  from bench_readers author
  join ratings rating on rating.account_id = author.id
  where author.is_fan and author.number < 20`

/** Public collections: one of the highest-rated works of each user, and three with all works of `BENCH_USER`. */
const COLLECTIONS = `
  insert into collections (account_id, name)
  select id, 'What to read' from bench_readers where not is_fan
  union all
  select id, 'All of it, ' || number from accounts cross join generate_series(1, 3) number
  where email = '${BENCH_USER.email}'`

const COLLECTION_ITEMS = `
  insert into collection_items (account_id, collection_id, work_id, last_put)
  select collection.account_id, collection.id, rating.work_id, 'ADDED'
  from collections collection
  join ratings rating on rating.account_id = collection.account_id
  where not collection.is_default
    and (collection.name like 'All of it%' or rating.rate >= 8 and rating.work_id % 2 = 0)`

const ITEM_COUNTS = `
  update collections collection
  set item_count = item.amount
  from (
    select account_id, collection_id, count(*) as amount from collection_items group by account_id, collection_id
  ) item
  where item.account_id = collection.account_id and item.collection_id = collection.id`

const PROFILES = `
  insert into public_profiles (
    account_id, is_shown, shows_list, shows_statistics, shows_reviews, shows_collections, may_be_found
  )
  select id, true, true, true, true, true, true from bench_readers where not is_fan and number % 10 = 0`
