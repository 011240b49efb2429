import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { inLongTransaction } from '../../db/server/long-transaction.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { followFeed, seenByBoth, type FollowedFeed } from '#test/change-feed.ts'
import { openTestDatabase } from '#test/open-database.ts'
import { startService, type TestService } from '#test/service.ts'

const NOVEL = 870_001

describeOnDatabase('the change feed of volumes and tags', (engine) => {
  let service: TestService
  let feed: FollowedFeed
  before(async () => {
    service = await startService({ engine })
    feed = await followFeed(service)
  })
  after(() => service.close())

  const volumes = (kind: string, ids: number[]) =>
    ids.map((id) => `${kind} light_novel_volume ${id}`)

  const makeNovel = (nsfw: boolean) =>
    feed.changesSeen(`
      do $$ begin
        insert into works (id, kind, nsfw) values (${NOVEL}, 'light_novel', ${nsfw});
        insert into light_novels (id, name) values (${NOVEL}, 'New');
        insert into light_novel_volumes (id, light_novel_id, position)
        values (${NOVEL + 1}, ${NOVEL}, 1), (${NOVEL + 2}, ${NOVEL}, 2);
      end $$`)
  const ids = [NOVEL + 1, NOVEL + 2]
  const novel = (kind: string) => `${kind} light_novel ${NOVEL}`

  it('reports volumes under their own ids, but volumes of nsfw works only with catalog:full', async () => {
    const created = [novel('UPSERT'), ...volumes('UPSERT', ids)]
    assert.deepEqual(await makeNovel(true), { full: created, limited: [] })
    await feed.assertSeen(
      `update light_novel_volumes set name = 'Changed' where id = ${NOVEL + 1}`,
      { full: [...volumes('UPSERT', [NOVEL + 1]), novel('UPSERT')], limited: [] },
    )
    await feed.assertSeen(`delete from light_novel_volumes where id = ${NOVEL + 1}`, {
      full: [...volumes('DELETE', [NOVEL + 1]), novel('UPSERT')],
      limited: [],
    })
    await feed.assertSeen(`delete from works where id = ${NOVEL}`, {
      full: [...volumes('DELETE', [NOVEL + 2]), novel('DELETE')],
      limited: [],
    })
  })

  it('reports volumes when their work is shown, hidden or deleted', async () => {
    assert.deepEqual(await makeNovel(false), seenByBoth(novel('UPSERT'), ...volumes('UPSERT', ids)))
    const mark = (nsfw: boolean) =>
      feed.changesSeen(`update works set nsfw = ${nsfw} where id = ${NOVEL}`)
    assert.deepEqual(await mark(true), {
      full: [novel('UPSERT'), ...volumes('UPSERT', ids)],
      limited: [novel('DELETE'), ...volumes('DELETE', ids)],
    })
    assert.deepEqual(await mark(false), seenByBoth(novel('UPSERT'), ...volumes('UPSERT', ids)))
    assert.deepEqual(await mark(false), seenByBoth())
    await feed.assertSeen(
      `delete from works where id = ${NOVEL}`,
      seenByBoth(...volumes('DELETE', ids), novel('DELETE')),
    )
  })

  it('reports a tag once, when the first work gets it, and never changes its id', async () => {
    const tagged = (likes: number) =>
      feed.changesSeen(
        `update works set tags = '[{"name": "quiet endings", "likes": ${likes}}]' where id = 1`,
      )
    const { full: first } = await tagged(1)
    const { rows } = await sql<{ id: number }>`
      select id from tags where name = 'quiet endings'`.execute(service.db)
    assert.deepEqual(first.toSorted(), ['UPSERT galgame 1', `UPSERT tag ${rows[0]?.id}`])
    assert.deepEqual(await tagged(2), seenByBoth('UPSERT galgame 1'))
    await feed.changesSeen(`update works set tags = '[]' where id = 1`)
    assert.deepEqual(
      await tagged(3),
      seenByBoth('UPSERT galgame 1'),
      'it is reported again under the same id',
    )
  })
})

describeOnDatabase('the trigger that records changes to volumes, tags and developers', (engine) => {
  it("is not slowed down by a plan cached when the connection's first statement changed no rows", async () => {
    const { db, remove } = await openTestDatabase(engine, 'empty')
    try {
      await sql
        .raw(`
          insert into works (id, kind, nsfw) select n, 'light_novel', false from generate_series(1, 5000) n;
          insert into producers (id, name) select n, 'Before' from generate_series(1, 5000) n`)
        .execute(db)
      await inLongTransaction(db, Infinity, async (connection) => {
        const millisecondsOf = async (statement: string) => {
          const start = performance.now()
          await sql.raw(statement).execute(connection)
          return performance.now() - start
        }
        for (const table of ['works', 'producers']) {
          const touch = `update ${table} set updated_at = updated_at + interval '1 second'`
          await sql.raw('discard plans').execute(connection)
          const planned: number[] = []
          const afterNone: number[] = []
          // The runs alternate, because a machine may be slow for seconds.
          for (let round = 0; round < 4; round += 1) {
            await sql.raw('discard plans').execute(connection)
            planned.push(await millisecondsOf(touch))
            await sql.raw('discard plans').execute(connection)
            await sql.raw(`${touch} where false`).execute(connection)
            afterNone.push(await millisecondsOf(touch))
          }
          const message = `${table}: ${afterNone.join()} ms, not ${planned.join()}`
          assert.ok(Math.min(...afterNone) < 4 * Math.min(...planned) + 300, message)
        }
      })
    } finally {
      await remove()
    }
  })
})
