import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { LISTING_STEPS } from '../../src/browse/listings/follow-queries.ts'
import type { Database } from '../../src/db/database.ts'
import { runDueSteps, dueQuery } from '../../src/db/upkeep/due-tasks.ts'
import { applyRatingDeltas } from '../../src/ratings/totals/queries.ts'
import { numberAllChanges } from './change-feed.ts'

const findDue = dueQuery(LISTING_STEPS)

/** Updates the listings with everything committed, without the service's delays. Works alongside a running service. */
export async function updateListings(db: Database) {
  const deadline = Date.now() + 30_000
  for (;;) {
    await numberAllChanges(db)
    while (await applyRatingDeltas(db));
    await runDueSteps(db, LISTING_STEPS)
    const { rows } = await sql`select from rating_deltas limit 1`.execute(db)
    const { changes, totals, sums } = await findDue(db)
    if (rows.length === 0 && !changes && !totals && !sums) return
    assert.ok(Date.now() < deadline, 'listings are not updated')
    await sleep(10)
  }
}

/** Sums the users and votes of people, producers and characters, which imports leave to the background task. */
export const sumListings = (db: Database) => runDueSteps(db, { sums: LISTING_STEPS.sums })

/** Rebuilds the listings from nothing, as for a catalog that is older than they are. */
export async function rebuildListings(db: Database) {
  await sql`truncate listings, listing_facets, tag_listings, listing_sums_due`.execute(db)
  await sql`update listing_positions set position = 0`.execute(db)
  await updateListings(db)
}

const rowsOf = async (db: Database, text: string) => (await sql.raw(text).execute(db)).rows

/** Returns the entry fields of every listing, without totals. */
export const readListings = (db: Database) => rowsOf(db, 'select * from listings order by kind, id')

/** Asserts that counts, totals and sums match the catalog. */
export async function assertExactListings(db: Database) {
  const same = async (name: string, stored: string, fresh: string) => {
    const [first, second] = [await rowsOf(db, stored), await rowsOf(db, fresh)].map((rows) =>
      rows.map((row) => JSON.stringify(row)),
    )
    const without = (rows: string[] = [], others: string[] = []) =>
      rows.filter((row) => !others.includes(row))
    assert.deepEqual([without(first, second), without(second, first)], [[], []], name)
  }
  await same(
    'entries',
    'select kind, id, nsfw from listings order by kind, id',
    `select resource_type collate "C" as kind, resource_id as id, nsfw from catalog_entries
     where resource_type not like '%volume' and resource_type <> 'tag'
     order by 1, 2`,
  )
  await same(
    'facets',
    'select facet, everybody, nsfw from listing_facets order by facet',
    `select facet, count(*) filter (where not nsfw) as everybody, count(*) filter (where nsfw) as nsfw
     from listings cross join unnest(facets) facet group by facet order by facet`,
  )
  await same(
    'tags',
    `select tag.name, listing.everybody, listing.nsfw from tag_listings listing join tags tag on tag.id = tag_id
     where total > 0 order by tag.name collate "C"`,
    `select tag.name, count(*) filter (where not nsfw) as everybody, count(*) filter (where nsfw) as nsfw
     from (select distinct id, nsfw, tag_names(tags) as name from works) tag
     group by tag.name order by tag.name collate "C"`,
  )
  await same(
    'works',
    `select id, score, scores, readers, readers_full, source_votes, source_votes_full from listings
     where kind in ('galgame', 'light_novel', 'manga') order by id`,
    `select work.id, coalesce(round(avg(record.rate), 2), 0) as score, count(record.rate) as scores,
       count(record.id) filter (where not record.status_private) as readers,
       count(record.id) filter (where not record.status_private) as readers_full,
       votes.amount as source_votes, votes.amount as source_votes_full
     from works work left join ratings record on record.work_id = work.id and not record.hidden
     cross join lateral (
       select coalesce(sum((item ->> 'votes')::bigint), 0) as amount from jsonb_array_elements(work.source_scores) item
     ) votes
     group by work.id, votes.amount order by work.id`,
  )
  await same(
    'people, producers and characters',
    `select kind, id, readers, readers_full, source_votes, source_votes_full from listings
     where kind in ('person', 'producer', 'character') order by kind, id`,
    `select listing.kind, listing.id,
       coalesce(sum(record.amount) filter (where not work.nsfw), 0) as readers,
       coalesce(sum(record.amount), 0) as readers_full,
       coalesce(sum(votes.source_votes) filter (where not work.nsfw), 0) as source_votes,
       coalesce(sum(votes.source_votes), 0) as source_votes_full
     from listings listing
     left join (select distinct kind, id, work_id from credited_works) credited
       on credited.kind = listing.kind and credited.id = listing.id
     left join works work on work.id = credited.work_id
     left join listings votes on votes.kind = work.kind and votes.id = work.id
     left join (
       select work_id, count(*) as amount from ratings where not status_private and not hidden group by work_id
     ) record on record.work_id = work.id
     where listing.kind in ('person', 'producer', 'character')
     group by listing.kind, listing.id order by listing.kind, listing.id`,
  )
}
