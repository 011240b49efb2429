import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { followFeed, seenByBoth, type FollowedFeed } from '#test/change-feed.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'

describeOnDatabase('nsfw works in the change feed', (engine) => {
  let service: TestService
  let feed: FollowedFeed
  before(async () => {
    service = await startService({ engine })
    feed = await followFeed(service)
  })
  after(() => service.close())
  // A failed test may leave unread changes.
  beforeEach(() => feed.read())

  it('are not reported without catalog:full', async () => {
    const [person] = await feed.idsOf('person')
    // Everyone sees tags, so the tag is created and reported first.
    await feed.changesSeen(`insert into tags (name) values ('A')`)
    const { full: created, limited: nothing } = await feed.changesSeen(
      `insert into works (id, kind, nsfw) values (860001, 'manga', true);
       insert into mangas (id, name) values (860001, 'Hidden')`,
    )
    assert.deepEqual([created, nothing], [['UPSERT manga 860001'], []])
    for (const change of [
      `update mangas set name = 'Changed' where id = 860001`,
      `update works set tags = '[{"name": "A", "likes": 1}]' where id = 860001`,
      `insert into manga_people (manga_id, position, person_id, role) values (860001, 1, ${person}, 'ART')`,
    ])
      await feed.assertSeen(change, { full: ['UPSERT manga 860001'], limited: [] })
    await feed.assertSeen('delete from works where id = 860001', {
      full: ['DELETE manga 860001'],
      limited: [],
    })
  })

  it('are reported to callers without catalog:full as DELETE when hidden and as UPSERT when shown again', async () => {
    const work = await feed.make('galgame')
    const upsert = `UPSERT galgame ${work}`
    await feed.assertSeen(`update works set nsfw = true where id = ${work}`, {
      full: [upsert],
      limited: [`DELETE galgame ${work}`],
    })
    await feed.assertSeen(
      `update works set tags = '[{"name": "A", "likes": 1}]' where id = ${work}`,
      { full: [upsert], limited: [] },
    )
    await feed.assertSeen(`update works set nsfw = false where id = ${work}`, seenByBoth(upsert))
  })

  it('are reported as deleted to everyone if marked nsfw and then deleted', async () => {
    const work = await feed.make('galgame')
    await feed.assertSeen(
      `update works set nsfw = true where id = ${work}; delete from works where id = ${work}`,
      seenByBoth(`DELETE galgame ${work}`),
    )
  })

  it('are reported only as deleted if hidden again in the transaction that showed them', async () => {
    const work = await feed.make('galgame', true)
    await feed.assertSeen(
      `update works set nsfw = false where id = ${work}; update works set nsfw = true where id = ${work};
       update galgames set origin_title = 'Changed' where id = ${work}`,
      { full: [`UPSERT galgame ${work}`], limited: [`DELETE galgame ${work}`] },
    )
  })
})
