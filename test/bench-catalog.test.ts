import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, DEFAULT_ENGINE, type TestDatabase } from '#test/databases.ts'
import { assertExactListings } from '#test/update-listings.ts'
import { assertExactCounts, assertExactHistories } from '#test/ratings.ts'
import { fillUsers } from '../bench/support/fill-users.ts'
import { settleCatalog } from '../bench/support/settle-catalog.ts'
import { findSubjects } from '../bench/support/subjects.ts'
import { LISTING_STEPS } from '../src/browse/listings/follow-queries.ts'
import { HAS_PENDING_CHANGES } from '../src/catalog/changes/sequencer-queries.ts'
import { openDatabase, type OpenDatabase } from '../src/db/database.ts'
import { anyDue, dueQuery } from '../src/db/upkeep/due-tasks.ts'
import { DELTA_STEPS } from '../src/ratings/totals/queries.ts'
import { bucketOf } from '../src/search/index/buckets.ts'
import { INDEX_STEPS } from '../src/search/index/search-index.ts'
import { bucketKey } from '../src/search/index/index-row.ts'
import { makeSimilarSteps } from '../src/similar/similar-task.ts'

describe('a benchmark catalog with generated users', () => {
  let database: TestDatabase
  let opened: OpenDatabase
  before(async () => {
    database = await createDatabase(DEFAULT_ENGINE, 'sample')
    opened = await openDatabase({ ...database, databasePoolSize: 2 })
    await fillUsers(opened.db)
    await settleCatalog(opened.db)
  })
  after(async () => {
    await opened?.close()
    await database?.remove()
  })
  const rowsOf = async <Row>(text: string) => (await sql.raw<Row>(text).execute(opened.db)).rows

  it('has totals, histories, votes and lists that match a fresh count of its ratings', async () => {
    await assertExactCounts(opened.db)
    await assertExactHistories(opened.db)
    await assertExactListings(opened.db)
    type Row = { works: number; records: number; ofReader: number }
    const [row] = await rowsOf<Row>(`
      select
        (select count(*) from works) as works,
        (select count(*) from ratings where account_id <> reader.id and rate_content not like 'What everybody%') as records,
        (select count(*) from ratings where account_id = reader.id) as "ofReader"
      from accounts reader where email like 'bench%'`)
    assert.ok(
      row && row.records > 7 * row.works && row.records <= 10.5 * row.works,
      JSON.stringify(row),
    )
    assert.equal(row.ofReader, 100)
  })

  it('has published ratings and a user search index that match its lists', async () => {
    const [published] = await rowsOf<{ amount: number; wrong: number }>(`
      select
        count(*) as amount,
        count(*) filter (where (rating.rating ->> 'score')::numeric <> listing.score) as wrong
      from work_ratings rating
      join listings listing on listing.kind = rating.kind and listing.id = rating.work_id`)
    assert.ok(published && published.amount > 50)
    assert.equal(published.wrong, 0)
    const [found] = await rowsOf<{ readers: number; listed: number }>(`
      select
        (select sum(readers) from search_entries) as readers,
        (select sum(popularity) from listings) as listed`)
    assert.equal(found?.readers, found?.listed)
    const indexed = await rowsOf<{ section: number; id: number; readers: number; grams: number[] }>(
      'select section, id, readers, grams from search_entries',
    )
    const misplaced = indexed.filter(
      ({ section, id, readers, grams }) => !grams.includes(bucketKey(section, readers, id) | 0),
    )
    assert.equal(misplaced.length, 0)
    const buckets = await rowsOf<{ section: number; bucket: number }>(
      'select section, bucket from search_buckets',
    )
    const noted = new Set(buckets.map(({ section, bucket }) => `${section} ${bucket}`))
    assert.ok(
      indexed.every(({ section, id, readers }) => noted.has(`${section} ${bucketOf(readers, id)}`)),
    )
  })

  it('leaves no background work pending', async () => {
    const steps = [DELTA_STEPS, INDEX_STEPS, makeSimilarSteps(), LISTING_STEPS].map(anyDue)
    const all = { ...Object.fromEntries(steps.entries()), changes: { isDue: HAS_PENDING_CHANGES } }
    const due = await dueQuery(all)(opened.db)
    assert.ok(
      Object.values(due).every((isDue) => !isDue),
      JSON.stringify(due),
    )
  })

  it('has data for every request, anywhere in the catalog', async () => {
    const subjects = await findSubjects(opened.db)
    const lists = [
      ...Object.values(subjects.ids),
      ...Object.values(subjects.records),
      subjects.outsideIds,
      subjects.tags,
      subjects.collections,
      ...Object.values(subjects.names),
    ]
    assert.deepEqual(
      lists.filter((list) => list.length === 0),
      [],
    )
    assert.equal(subjects.hotReviews.length, 20)
    assert.ok(new Set(subjects.ids.galgame).size > 5)
  })
})
