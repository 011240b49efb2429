import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import {
  assertExactListings,
  updateListings,
  readListings,
  rebuildListings,
  sumListings,
} from '#test/update-listings.ts'
import { numberAllChanges } from '#test/change-feed.ts'
import { asAnotherProcess } from '#test/refuse-second-connections.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { createAccounts, writeRating } from '#test/ratings.ts'
import { sourceRecords } from '#test/source-records.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { banAccount, unbanAccount } from '../../accounts/ban-queries.ts'
import { deleteAccount } from '../../accounts/deletion-queries.ts'
import { holdLock } from '../../db/advisory-locks.ts'
import type { Database } from '../../db/database.ts'
import { followChanges } from './follow-queries.ts'

type Listing = {
  name: string
  nsfw: boolean
  released: string
  facets: string[]
  score: number
  readers: number
  readers_full: number
}

describeOnDatabase('listings', (engine) => {
  let test: OpenTestDatabase
  let db: Database
  before(async () => {
    test = await openTestDatabase(engine)
    db = test.db
  })
  after(() => test.remove())

  const run = (text: string) => db.transaction().execute((trx) => sql.raw(text).execute(trx))
  async function listingOf(kind: string, id: number): Promise<Listing | undefined> {
    const { rows } = await sql<Listing>`
      select name, nsfw, released::text, facets, score, readers, readers_full
      from listings where kind = ${kind} and id = ${id}`.execute(db)
    return rows[0]
  }
  async function idBy(name: string): Promise<number> {
    const { rows } = await sql<{ id: number }>`
      select entry_id as id from source_records where external_id = ${name}`.execute(db)
    return first(rows).id
  }

  it('include every entry as soon as an import commits, and are unchanged when rebuilt from the change feed', async () => {
    // Imports leave only the sums of people, producers and characters to the background task.
    await sumListings(db)
    const written = await readListings(db)
    assert.ok(written.length > 850)
    await assertExactListings(db)
    await rebuildListings(db)
    assert.deepEqual(await readListings(db), written)
    await assertExactListings(db)
  })

  it('reflect names, dates, facets and removals as soon as an import commits', async () => {
    const { galgame, person, staff } = sourceRecords
    const people = [person('s9001'), person('s9002')]
    await importRecords(db, 'vndb', [
      ...people,
      galgame(
        'v9001',
        {
          origin_title: '「Ａｂｃ Éclair',
          release_date: '2011-05-06',
          dev_status: 'RELEASED',
          platforms: ['win', 'swi'],
          origin_lang: 'ja',
          tags: [{ name: 'listed', likes: 2 }],
        },
        staff('s9001'),
      ),
    ])
    const [id, one, two] = [await idBy('v9001'), await idBy('s9001'), await idBy('s9002')]
    const { rows } = await sql<{ id: number }>`select id from tags where name = 'listed'`.execute(
      db,
    )
    const facets = (year: number, developer: number) =>
      [
        'g',
        'gfswi',
        'gfwin',
        'glja',
        `gp${developer}`,
        'gsRELEASED',
        `gt${first(rows).id}`,
        `gy${year}`,
      ].toSorted()
    const { name, released, facets: found } = (await listingOf('galgame', id)) ?? {}
    assert.deepEqual(
      { name, released, facets: found?.toSorted() },
      { name: 'abc eclair', released: '2011-05-06', facets: facets(2011, one) },
    )
    await importRecords(db, 'vndb', [
      ...people,
      galgame(
        'v9001',
        {
          origin_title: 'Ёж',
          release_date: '2012-01-01',
          dev_status: 'RELEASED',
          platforms: ['win', 'swi'],
          origin_lang: 'ja',
          tags: [{ name: 'listed', likes: 2 }],
        },
        staff('s9002'),
      ),
    ])
    const now = await listingOf('galgame', id)
    assert.deepEqual([now?.name, now?.facets.toSorted()], ['еж', facets(2012, two)])
    await sumListings(db)
    await assertExactListings(db)
  })

  it('reflect manual changes, nsfw marks, tags, credits, merges and deletions', async () => {
    const works = await sampleWorks(db)
    const [galgame = 0, other = 0, deletedId = 0] = works.galgame
    const [manga = 0] = works.manga
    await run(`
      update galgames set trans_title = 'By Hand', release_date = null where id = ${galgame};
      update works set nsfw = true, tags = '[{"name": "by hand", "likes": 1}, {"name": "by hand", "likes": 2}]'
        where id in (${galgame}, ${manga});
      insert into people (name) values ('Somebody by hand');
      insert into manga_people (manga_id, position, person_id, role)
        select ${manga}, 900, max(id), 'ART' from people;
      delete from galgame_producers where galgame_id = ${other};
      insert into merged_entries (kind, id, merged_into) values ('galgame', ${deletedId}, ${galgame});
      delete from works where id = ${deletedId};
      delete from characters where id = (select max(id) from characters);`)
    await updateListings(db)
    const listing = await listingOf('galgame', galgame)
    assert.deepEqual(
      [listing?.name, listing?.nsfw, listing?.released],
      ['by hand', true, '-infinity'],
    )
    assert.equal(await listingOf('galgame', deletedId), undefined)
    await assertExactListings(db)
    const followed = await readListings(db)
    await rebuildListings(db)
    assert.deepEqual(await readListings(db), followed)
  })

  it('exclude banned and deleted accounts from user counts and scores, and add up the counts for creators', async () => {
    const { rows } = await sql<{ id: number; kind: 'galgame'; person: number }>`
      select work.id, work.kind, min(credit.person_id) as person
      from works work join galgame_staff credit on credit.galgame_id = work.id
      where not work.nsfw group by work.id order by work.id limit 2`.execute(db)
    const [work, otherWork] = [first(rows), first(rows.slice(1))]
    await run(`insert into galgame_staff (galgame_id, position, person_id, role)
      select ${otherWork.id}, 900, ${work.person}, 'ART'`)
    const accounts = await createAccounts(db, 4)
    const [one = 0, second = 0, third = 0, fourth = 0] = accounts
    for (const user of accounts)
      await writeRating(db, user, work, { rate: 4 + accounts.indexOf(user) })
    await writeRating(db, one, otherWork, { status: 'PLAN' })
    await writeRating(db, second, otherWork, { status_private: true, rate: 10 })
    const check = async (
      name: { score: number; readers: number },
      sum: { all: number; shown: number },
    ) => {
      await updateListings(db)
      const { score, readers: amount } = (await listingOf('galgame', work.id)) ?? {}
      assert.deepEqual({ score, readers: amount }, name)
      const { readers: shown, readers_full: all } = (await listingOf('person', work.person)) ?? {}
      assert.deepEqual({ shown, all }, sum)
      await assertExactListings(db)
    }
    await check({ score: 5.5, readers: 4 }, { shown: 5, all: 5 })
    await banAccount(db, fourth, 'a test')
    await check({ score: 5, readers: 3 }, { shown: 4, all: 4 })
    await unbanAccount(db, fourth)
    await deleteAccount(db, third)
    await run(`update works set nsfw = true where id = ${otherWork.id}`)
    await check({ score: 5.33, readers: 3 }, { shown: 3, all: 4 })
    await run(
      `delete from galgame_staff where galgame_id = ${otherWork.id} and person_id = ${work.person}`,
    )
    await check({ score: 5.33, readers: 3 }, { shown: 3, all: 3 })
  })

  it('include a work’s existing users when its own listing or that of a creator is new', async () => {
    const [work = 0] = (await sampleWorks(db)).light_novel
    const [user = 0] = await createAccounts(db, 1)
    await writeRating(db, user, { id: work, kind: 'light_novel' }, { rate: 9 })
    await updateListings(db)
    await sql`delete from listings where id = ${work} and kind = 'light_novel'`.execute(db)
    await run(`
      insert into producers (name) values ('A late producer');
      insert into light_novel_producers (light_novel_id, position, producer_id, relation)
        select ${work}, 900, max(id), 'publisher' from producers;`)
    await sql`truncate listing_facets, tag_listings, listings`.execute(db)
    await sql`update listing_positions set position = 0 where name = 'changes'`.execute(db)
    await updateListings(db)
    await assertExactListings(db)
  })

  if (engine === 'server')
    it('are updated by only one process at a time, and not while an import writes them', async () => {
      const [galgame = 0] = (await sampleWorks(db)).galgame
      const other = await test.reconnect()
      await run(`update galgames set trans_title = 'In turn' where id = ${galgame}`)
      await other.db.transaction().execute(async (trx) => {
        await holdLock(trx, 'listings')
        await asAnotherProcess(() => numberAllChanges(db))
        assert.equal(await asAnotherProcess(() => followChanges(db)), 0)
        assert.notEqual(
          (await asAnotherProcess(() => listingOf('galgame', galgame)))?.name,
          'in turn',
        )
      })
      await other.close()
      await updateListings(db)
      assert.equal((await listingOf('galgame', galgame))?.name, 'in turn')
    })
})
