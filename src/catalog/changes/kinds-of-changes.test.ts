import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { followFeed, seenByBoth, type FollowedFeed } from '#test/change-feed.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { loadSample } from '../../sample.ts'

/** All lists of works, keyed by kind. */
const LISTS = [
  ['galgame', ['staff', 'characters', 'character_actors', 'producers', 'relations']],
  ['light_novel', ['volumes', 'people', 'producers', 'characters']],
  ['manga', ['volumes', 'people', 'producers', 'characters']],
] as const

describeOnDatabase('a change in the feed', (engine) => {
  let service: TestService
  let feed: FollowedFeed
  before(async () => {
    service = await startService({ engine })
    feed = await followFeed(service)
  })
  after(() => service.close())
  // A failed test may leave unread changes.
  beforeEach(() => feed.read())

  describe('UPSERT', () => {
    for (const [kind, lists] of LISTS)
      for (const list of lists)
        it(`is sent for a ${kind} if a row of its ${list} is added, changed or removed`, async () => {
          const table = `${kind}_${list}`
          const owner = `${kind}_id`
          const { rows } = await sql<{ id: number }>`
            select min(${sql.ref(owner)}) as id from ${sql.table(table)} list
            join works work on work.id = ${sql.ref(owner)} and not work.nsfw`.execute(service.db)
          const one = `${owner} = ${rows[0]?.id}`
          const volumes =
            list === 'volumes'
              ? (
                  await sql<{ id: number }>`
                  select id from ${sql.table(table)} where ${sql.raw(one)} order by id`.execute(
                    service.db,
                  )
                ).rows
              : []
          const upsert = seenByBoth(
            ...volumes.map(({ id }) => `UPSERT ${kind}_volume ${id}`),
            `UPSERT ${kind} ${rows[0]?.id}`,
          )
          await feed.assertSeen(
            `update ${table} set position = position + 1000 where ${one}`,
            upsert,
          )
          await feed.assertSeen(
            `create table kept_${table} as select * from ${table} where ${one};
             delete from ${table} where ${one}`,
            seenByBoth(
              ...volumes.map(({ id }) => `DELETE ${kind}_volume ${id}`),
              `UPSERT ${kind} ${rows[0]?.id}`,
            ),
          )
          await feed.assertSeen(
            `insert into ${table} select * from kept_${table}; drop table kept_${table}`,
            upsert,
          )
          await feed.assertSeen(
            `update ${table} set position = position where ${one}`,
            seenByBoth(),
          )
        })

    it('is sent for every new entry', async () => {
      for (const [kind, table, name] of [
        ['person', 'people', 'name'],
        ['producer', 'producers', 'name'],
        ['character', 'characters', 'name'],
      ])
        await feed.assertSeen(
          `insert into ${table} (id, ${name}) values (880001, 'New')`,
          seenByBoth(`UPSERT ${kind} 880001`),
        )
      for (const [kind, table, name] of [
        ['galgame', 'galgames', 'origin_title'],
        ['light_novel', 'light_novels', 'name'],
        ['manga', 'mangas', 'name'],
      ]) {
        const id = `88000${table?.length}`
        await feed.assertSeen(
          `insert into works (id, kind) values (${id}, '${kind}');
           insert into ${table} (id, ${name}) values (${id}, 'New')`,
          seenByBoth(`UPSERT ${kind} ${id}`),
        )
        await feed.assertSeen(
          `update ${table} set ${name} = 'Changed' where id = ${id}`,
          seenByBoth(`UPSERT ${kind} ${id}`),
        )
      }
    })

    it('is sent once for an entry that a transaction writes repeatedly, in the order of first writes', async () => {
      const [a, b] = await feed.idsOf('person')
      await feed.assertSeen(
        `update people set name = 'First' where id = ${b};
         update people set name = 'Second' where id = ${a};
         update people set name = 'Third' where id = ${b}`,
        seenByBoth(`UPSERT person ${b}`, `UPSERT person ${a}`),
      )
    })

    it('is not sent for a write without a visible change', async () => {
      await feed.assertSeen(
        `update works set nsfw = nsfw, tags = tags; update people set name = name;
         update galgames set covers = covers || '[]'::jsonb`,
        seenByBoth(),
      )
    })

    it('is not sent for a change that was rolled back', async () => {
      const [id] = await feed.idsOf('person')
      await assert.rejects(
        service.db.transaction().execute(async (trx) => {
          await sql`update people set name = 'Undone' where id = ${id}`.execute(trx)
          throw new Error('undone')
        }),
        /undone/,
      )
      await feed.assertSeen(async () => {}, seenByBoth())
    })

    it('is not sent when the same records are imported again', async () => {
      await feed.assertSeen(async () => {}, seenByBoth())
      // Earlier tests edited rows directly, which an import of unchanged records ignores.
      await loadSample(service.db)
      const { rows } = await sql`select from catalog_changes_due`.execute(service.db)
      assert.equal(rows.length, 0)
      await feed.assertSeen(async () => {}, seenByBoth())
    })
  })

  describe('DELETE', () => {
    it('is sent for a deleted entry, without its other changes', async () => {
      const person = await feed.make('person')
      await feed.assertSeen(
        `update people set name = 'Last' where id = ${person}; delete from people where id = ${person}`,
        seenByBoth(`DELETE person ${person}`),
      )
    })

    it('is sent for a deleted work, whether its row in works or only the row of its kind was deleted', async () => {
      const [clannad] = await feed.idsOf('galgame')
      const [person] = await feed.idsOf('person')
      const alone = await feed.make('galgame')
      const work = await feed.make('galgame')
      await feed.changesSeen(
        `insert into galgame_staff values (${work}, 1, ${person}, 'ART');
         insert into galgame_relations values (${clannad}, 5000, ${work}, 'SEQUEL')`,
      )
      await feed.assertSeen(`delete from works where id = ${work}`, {
        ...seenByBoth(`DELETE galgame ${work}`, `UPSERT galgame ${clannad}`),
      })
      await feed.assertSeen(
        `delete from galgames where id = ${alone}`,
        seenByBoth(`DELETE galgame ${alone}`),
      )
    })

    it('is sent for every row when a table is emptied', async () => {
      const { rows } = await sql<{ id: number }>`select id from producers order by id`.execute(
        service.db,
      )
      const work = await feed.make('galgame')
      await feed.changesSeen(
        `insert into galgame_producers values (${work}, 1, ${rows[0]?.id}, 'DEVELOPER')`,
      )
      const changes = await feed.changesSeen('truncate producers cascade')
      assert.deepEqual(
        changes.full.filter((item) => item.includes('producer')).toSorted(),
        rows.map(({ id }) => `DELETE producer ${id}`).toSorted(),
      )
      assert.ok(changes.full.includes(`UPSERT galgame ${work}`))
    })
  })

  describe('MERGE', () => {
    it('is sent for an entry merged into another', async () => {
      const [kept, deleted] = [await feed.make('person'), await feed.make('person')]
      await feed.assertSeen(
        `insert into merged_entries (kind, id, merged_into) values ('person', ${deleted}, ${kept});
         delete from people where id = ${deleted}`,
        seenByBoth(`MERGE person ${deleted} into ${kept}`),
      )
      await feed.assertSeen(
        `delete from merged_entries where kind = 'person' and id = ${deleted}`,
        seenByBoth(`DELETE person ${deleted}`),
      )
    })

    it('is sent even for a work that the client has never received', async () => {
      const [clannad] = await feed.idsOf('galgame')
      await feed.assertSeen(
        `insert into merged_entries (kind, id, merged_into) values ('galgame', 870001, ${clannad})`,
        seenByBoth(`MERGE galgame 870001 into ${clannad}`),
      )
    })

    it('is replaced by DELETE for callers who may not see the target', async () => {
      const [shown, hidden] = [await feed.make('galgame'), await feed.make('galgame', true)]
      await feed.assertSeen(
        `insert into merged_entries (kind, id, merged_into) values ('galgame', ${shown}, ${hidden});
         delete from works where id = ${shown}`,
        { full: [`MERGE galgame ${shown} into ${hidden}`], limited: [`DELETE galgame ${shown}`] },
      )
    })

    it('is not sent for an nsfw work to callers who could not see it', async () => {
      const [shown, hidden] = [await feed.make('galgame'), await feed.make('galgame', true)]
      await feed.assertSeen(
        `insert into merged_entries (kind, id, merged_into) values ('galgame', ${hidden}, ${shown});
         delete from works where id = ${hidden}`,
        { full: [`MERGE galgame ${hidden} into ${shown}`], limited: [] },
      )
    })
  })
})
