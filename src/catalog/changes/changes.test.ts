import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { numberAllChanges, FeedFollower, readChanges, formatChange } from '#test/change-feed.ts'
import { responseValidator } from '#test/openapi.ts'
import { startService, type TestService } from '#test/service.ts'
import type { Database } from '../../db/database.ts'
import { loadSample } from '../../sample.ts'

const PATH = '/api/v3/open/catalog/changes'

/** All lists of works, keyed by kind. */
const LISTS = [
  ['galgame', ['staff', 'characters', 'character_actors', 'producers', 'relations']],
  ['light_novel', ['volumes', 'people', 'producers', 'characters']],
  ['manga', ['volumes', 'people', 'producers', 'characters']],
] as const

describeOnDatabase('the change feed', (engine) => {
  let service: TestService
  /** Tokens with and without `catalog:full`. */
  let tokens: { full: string; limited: string }
  let full: FeedFollower
  let limited: FeedFollower
  const problems = responseValidator()

  /** Runs a change and returns what each follower receives. */
  async function changesSeen(change: (db: Database) => Promise<unknown>) {
    await service.db.transaction().execute(change)
    await numberAllChanges(service.db)
    const [toFull, toLimited] = await Promise.all([
      full.read(service.url),
      limited.read(service.url),
    ])
    return { full: toFull.map(formatChange), limited: toLimited.map(formatChange) }
  }
  const run = (text: string) => (db: Database) => sql.raw(text).execute(db)
  const both = (...items: string[]) => ({ full: items, limited: items })

  async function idsOf(type: string, nsfw = false): Promise<number[]> {
    const { rows } = await sql<{ id: number }>`
      select resource_id as id from catalog_entries
      where resource_type = ${type} and nsfw = ${nsfw} order by resource_id`.execute(service.db)
    return rows.map(({ id }) => id)
  }
  /** Creates an entry without references, so that its deletion affects nothing else. */
  async function make(type: 'galgame' | 'person', nsfw = false): Promise<number> {
    const { rows } = await (
      type === 'person'
        ? sql<{ id: number }>`insert into people (name) values ('New') returning id`
        : sql<{ id: number }>`
            with work as (insert into works (kind, nsfw) values ('galgame', ${nsfw}) returning id)
            insert into galgames (id, origin_title) select id, 'New' from work returning id`
    ).execute(service.db)
    await numberAllChanges(service.db)
    await Promise.all([full.read(service.url), limited.read(service.url)])
    return rows[0]?.id ?? 0
  }

  before(async () => {
    service = await startService({ engine })
    tokens = {
      full: await service.token('catalog:full catalog:sync'),
      limited: await service.token('catalog:sync'),
    }
    await numberAllChanges(service.db)
    const { latest_id } = await readChanges(service.url, tokens.full)
    full = new FeedFollower(tokens.full, latest_id)
    limited = new FeedFollower(tokens.limited, latest_id)
  })
  after(() => service.close())
  // A failed test may leave unread changes.
  beforeEach(() => Promise.all([full.read(service.url), limited.read(service.url)]))

  describe('from the beginning', () => {
    it('contains every entry after the entries it refers to, but nsfw works only with catalog:full', async () => {
      const { rows } = await sql<{ resource_type: string; resource_id: number; nsfw: boolean }>`
        select * from catalog_entries`.execute(service.db)
      assert.ok(rows.length > 900)
      for (const [token, shown] of [
        [tokens.full, rows],
        [tokens.limited, rows.filter(({ nsfw }) => !nsfw)],
      ] as const) {
        const items = await new FeedFollower(token).read(service.url)
        const upserts = shown.map(
          ({ resource_type, resource_id }) => `UPSERT ${resource_type} ${resource_id}`,
        )
        assert.deepEqual([...new Set(items.map(formatChange))].toSorted(), upserts.toSorted())
      }
    })

    it('returns pages of the requested size, 100 by default', async () => {
      const whole = await new FeedFollower(tokens.full).read(service.url, 500)
      assert.deepEqual(await new FeedFollower(tokens.full).read(service.url, 173), whole)
      const { items, has_more, latest_id } = await readChanges(service.url, tokens.full)
      assert.deepEqual(items, whole.slice(0, 100))
      assert.equal(has_more, true)
      assert.equal(latest_id, whole.at(-1)?.id)
    })

    it('sets has_more only if more changes follow', async () => {
      const whole = await new FeedFollower(tokens.full).read(service.url)
      const [third, second, last] = whole.slice(-3)
      const since = third?.id ?? 0
      for (const [limit, more] of [
        [1, true],
        [2, false],
        [3, false],
      ] as const) {
        const part = await readChanges(service.url, tokens.full, `?since=${since}&limit=${limit}`)
        const { epoch, ...page } = part
        assert.match(epoch, /^[\da-f-]{36}$/)
        assert.deepEqual(page, {
          items: [second, last].slice(0, limit),
          latest_id: last?.id,
          has_more: more,
        })
      }
    })

    it('stays ordered by id if the clock was set back between two changes', async () => {
      const [first, second, third] = (await new FeedFollower(tokens.full).read(service.url)).slice(
        -3,
      )
      assert.ok(first && second && third)
      const setBack = (hours: number) =>
        sql`
          update catalog_changes set created_at = created_at - make_interval(hours => ${hours})
          where id in (${second.id}, ${third.id})`.execute(service.db)
      await setBack(1)
      const { items } = await readChanges(
        service.url,
        tokens.full,
        `?since=${first.id - 1}&limit=1`,
      )
      assert.deepEqual(
        items.map(({ id }) => id),
        [first.id],
      )
      await setBack(-1)
    })

    it('is empty after the latest id', async () => {
      const { latest_id, epoch } = await readChanges(service.url, tokens.full)
      for (const since of [latest_id, latest_id + 1_000, Number.MAX_SAFE_INTEGER])
        assert.deepEqual(await readChanges(service.url, tokens.full, `?since=${since}`), {
          items: [],
          latest_id,
          has_more: false,
          epoch,
        })
    })

    it('returns 409 for an ended epoch, or for an unknown id with an epoch', async () => {
      const { latest_id, epoch } = await readChanges(service.url, tokens.full)
      const statusOf = async (query: string) =>
        (await service.get(`${PATH}?${query}`, tokens.full)).status
      assert.equal(await statusOf(`since=${latest_id}&epoch=${epoch}`), 200)
      assert.equal(await statusOf(`since=1&epoch=${epoch}`), 200)
      assert.equal(await statusOf(`since=${latest_id + 1}&epoch=${epoch}`), 409)
      assert.equal(await statusOf(`since=${latest_id}&epoch=another`), 409)
      assert.equal(await statusOf('since=0&epoch=another'), 200)
    })

    it('skips millions of ids in a new epoch, so that the ids of lost changes are not reused', async () => {
      // The test database is a copy, so this change begins an epoch there, which skips ids too.
      await sql`update people set name = name || '!' where id = 1`.execute(service.db)
      await numberAllChanges(service.db)
      const { latest_id: last, epoch } = await readChanges(service.url, tokens.full)
      await sql`update feed_state set origin = 'another server'`.execute(service.db)
      await sql`update people set name = name || '!' where id = 1`.execute(service.db)
      await numberAllChanges(service.db)
      const next = await readChanges(service.url, tokens.full, `?since=${last}`)
      const skipped = (next.items[0]?.id ?? 0) - last
      assert.ok(skipped > 10_000_000 && skipped <= 20_000_001, `${skipped}`)
      assert.notEqual(next.epoch, epoch)
      await sql`update people set name = name || '!' where id = 1`.execute(service.db)
      await numberAllChanges(service.db)
      const later = await readChanges(service.url, tokens.full, `?since=${next.latest_id}`)
      assert.deepEqual([later.items[0]?.id, later.epoch], [next.latest_id + 1, next.epoch])
    })
  })

  describe('request', () => {
    it('requires a token with catalog:sync, which catalog:full does not imply', async () => {
      for (const scope of ['catalog:read', 'catalog:full']) {
        const response = await service.get(PATH, await service.token(scope))
        const body = (await response.json()) as { error: { code: string; message: string } }
        assert.equal(response.status, 403)
        assert.equal(body.error.code, 'AUTH_FORBIDDEN')
        assert.match(body.error.message, /catalog:sync/)
        assert.equal(problems(PATH, 403, body), '')
      }
      assert.equal((await service.get(PATH)).status, 401)
    })

    it('is rejected with an error that names every field that is out of range', async () => {
      for (const query of [
        'since=-1',
        'since=1.5',
        'since=abc',
        'since=%00',
        'since=9007199254740992',
        'since=1&since=2',
        'limit=0',
        'limit=501',
        'limit=-1',
        'limit=x',
        'limit=1e400',
      ]) {
        const response = await service.get(`${PATH}?${query}`, tokens.full)
        const body = (await response.json()) as {
          error: { code: string; field_errors: { field: string }[] }
        }
        assert.equal(response.status, 422, query)
        assert.equal(body.error.code, 'COMMON_VALIDATION_FAILED')
        assert.equal(problems(PATH, 422, body), '')
        assert.deepEqual(
          body.error.field_errors.map(({ field }) => field),
          [query.split('=')[0]],
        )
      }
      const response = await service.get(`${PATH}?since=-1&limit=0&color=red`, tokens.full)
      const { error } = (await response.json()) as { error: { field_errors: { field: string }[] } }
      assert.deepEqual(error.field_errors.map(({ field }) => field).toSorted(), ['limit', 'since'])
    })

    it('behaves the same under both path prefixes, is not cached and counts toward the rate limit', async () => {
      const [open, short] = [
        await service.get(`${PATH}?limit=2`, tokens.full),
        await service.get('/v3/catalog/changes?limit=2', tokens.full),
      ]
      const dataOf = async (response: Response) =>
        ((await response.json()) as { data: unknown }).data
      assert.deepEqual(await dataOf(short), await dataOf(open))
      assert.equal(open.headers.get('cache-control'), 'no-store')
      assert.equal(open.headers.get('etag'), null)
      const [before, now] = [open, short].map(({ headers }) =>
        Number(headers.get('x-ratelimit-remaining')),
      )
      assert.equal(now, (before ?? 0) - 1)
    })
  })

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
          const upsert = both(
            ...volumes.map(({ id }) => `UPSERT ${kind}_volume ${id}`),
            `UPSERT ${kind} ${rows[0]?.id}`,
          )
          assert.deepEqual(
            await changesSeen(run(`update ${table} set position = position + 1000 where ${one}`)),
            upsert,
          )
          assert.deepEqual(
            await changesSeen(
              run(`create table kept_${table} as select * from ${table} where ${one};
                   delete from ${table} where ${one}`),
            ),
            both(
              ...volumes.map(({ id }) => `DELETE ${kind}_volume ${id}`),
              `UPSERT ${kind} ${rows[0]?.id}`,
            ),
          )
          assert.deepEqual(
            await changesSeen(
              run(`insert into ${table} select * from kept_${table}; drop table kept_${table}`),
            ),
            upsert,
          )
          assert.deepEqual(
            await changesSeen(run(`update ${table} set position = position where ${one}`)),
            both(),
          )
        })

    it('is sent for every new entry', async () => {
      for (const [kind, table, name] of [
        ['person', 'people', 'name'],
        ['producer', 'producers', 'name'],
        ['character', 'characters', 'name'],
      ])
        assert.deepEqual(
          await changesSeen(run(`insert into ${table} (id, ${name}) values (880001, 'New')`)),
          both(`UPSERT ${kind} 880001`),
        )
      for (const [kind, table, name] of [
        ['galgame', 'galgames', 'origin_title'],
        ['light_novel', 'light_novels', 'name'],
        ['manga', 'mangas', 'name'],
      ]) {
        const id = `88000${table?.length}`
        assert.deepEqual(
          await changesSeen(
            run(`insert into works (id, kind) values (${id}, '${kind}');
                 insert into ${table} (id, ${name}) values (${id}, 'New')`),
          ),
          both(`UPSERT ${kind} ${id}`),
        )
        assert.deepEqual(
          await changesSeen(run(`update ${table} set ${name} = 'Changed' where id = ${id}`)),
          both(`UPSERT ${kind} ${id}`),
        )
      }
    })

    it('is sent once for an entry that a transaction writes repeatedly, in the order of first writes', async () => {
      const [a, b] = await idsOf('person')
      assert.deepEqual(
        await changesSeen(
          run(`update people set name = 'First' where id = ${b};
               update people set name = 'Second' where id = ${a};
               update people set name = 'Third' where id = ${b}`),
        ),
        both(`UPSERT person ${b}`, `UPSERT person ${a}`),
      )
    })

    it('is not sent for a write without a visible change', async () => {
      assert.deepEqual(
        await changesSeen(
          run(`update works set nsfw = nsfw, tags = tags; update people set name = name;
               update galgames set covers = covers || '[]'::jsonb`),
        ),
        both(),
      )
    })

    it('is not sent for a change that was rolled back', async () => {
      const [id] = await idsOf('person')
      await assert.rejects(
        service.db.transaction().execute(async (trx) => {
          await sql`update people set name = 'Undone' where id = ${id}`.execute(trx)
          throw new Error('undone')
        }),
        /undone/,
      )
      assert.deepEqual(await changesSeen(async () => {}), both())
    })

    it('is not sent when the same records are imported again', async () => {
      assert.deepEqual(await changesSeen(async () => {}), both())
      // Earlier tests edited rows directly, which an import of unchanged records ignores.
      await loadSample(service.db)
      const { rows } = await sql`select from catalog_changes_due`.execute(service.db)
      assert.equal(rows.length, 0)
      assert.deepEqual(await changesSeen(async () => {}), both())
    })
  })

  describe('DELETE', () => {
    it('is sent for a deleted entry, without its other changes', async () => {
      const person = await make('person')
      assert.deepEqual(
        await changesSeen(
          run(
            `update people set name = 'Last' where id = ${person}; delete from people where id = ${person}`,
          ),
        ),
        both(`DELETE person ${person}`),
      )
    })

    it('is sent for a deleted work, whether its row in works or only the row of its kind was deleted', async () => {
      const [clannad] = await idsOf('galgame')
      const [person] = await idsOf('person')
      const alone = await make('galgame')
      const work = await make('galgame')
      await changesSeen(
        run(`insert into galgame_staff values (${work}, 1, ${person}, 'ART');
             insert into galgame_relations values (${clannad}, 5000, ${work}, 'SEQUEL')`),
      )
      assert.deepEqual(await changesSeen(run(`delete from works where id = ${work}`)), {
        ...both(`DELETE galgame ${work}`, `UPSERT galgame ${clannad}`),
      })
      assert.deepEqual(
        await changesSeen(run(`delete from galgames where id = ${alone}`)),
        both(`DELETE galgame ${alone}`),
      )
    })

    it('is sent for every row when a table is emptied', async () => {
      const { rows } = await sql<{ id: number }>`select id from producers order by id`.execute(
        service.db,
      )
      const work = await make('galgame')
      await changesSeen(
        run(`insert into galgame_producers values (${work}, 1, ${rows[0]?.id}, 'DEVELOPER')`),
      )
      const changes = await changesSeen(run('truncate producers cascade'))
      assert.deepEqual(
        changes.full.filter((item) => item.includes('producer')).toSorted(),
        rows.map(({ id }) => `DELETE producer ${id}`).toSorted(),
      )
      assert.ok(changes.full.includes(`UPSERT galgame ${work}`))
    })
  })

  describe('MERGE', () => {
    it('is sent for an entry merged into another', async () => {
      const [kept, deleted] = [await make('person'), await make('person')]
      assert.deepEqual(
        await changesSeen(
          run(`insert into merged_entries (kind, id, merged_into) values ('person', ${deleted}, ${kept});
               delete from people where id = ${deleted}`),
        ),
        both(`MERGE person ${deleted} into ${kept}`),
      )
      assert.deepEqual(
        await changesSeen(
          run(`delete from merged_entries where kind = 'person' and id = ${deleted}`),
        ),
        both(`DELETE person ${deleted}`),
      )
    })

    it('is sent even for a work that the client has never received', async () => {
      const [clannad] = await idsOf('galgame')
      assert.deepEqual(
        await changesSeen(
          run(
            `insert into merged_entries (kind, id, merged_into) values ('galgame', 870001, ${clannad})`,
          ),
        ),
        both(`MERGE galgame 870001 into ${clannad}`),
      )
    })

    it('is replaced by DELETE for callers who may not see the target', async () => {
      const [shown, hidden] = [await make('galgame'), await make('galgame', true)]
      assert.deepEqual(
        await changesSeen(
          run(`insert into merged_entries (kind, id, merged_into) values ('galgame', ${shown}, ${hidden});
               delete from works where id = ${shown}`),
        ),
        { full: [`MERGE galgame ${shown} into ${hidden}`], limited: [`DELETE galgame ${shown}`] },
      )
    })

    it('is not sent for an nsfw work to callers who could not see it', async () => {
      const [shown, hidden] = [await make('galgame'), await make('galgame', true)]
      assert.deepEqual(
        await changesSeen(
          run(`insert into merged_entries (kind, id, merged_into) values ('galgame', ${hidden}, ${shown});
               delete from works where id = ${hidden}`),
        ),
        { full: [`MERGE galgame ${hidden} into ${shown}`], limited: [] },
      )
    })
  })

  describe('nsfw works', () => {
    it('are not reported without catalog:full', async () => {
      const [person] = await idsOf('person')
      // Everyone sees tags, so the tag is created and reported first.
      await changesSeen(run(`insert into tags (name) values ('A')`))
      const { full: created, limited: nothing } = await changesSeen(
        run(`insert into works (id, kind, nsfw) values (860001, 'manga', true);
             insert into mangas (id, name) values (860001, 'Hidden')`),
      )
      assert.deepEqual([created, nothing], [['UPSERT manga 860001'], []])
      for (const change of [
        `update mangas set name = 'Changed' where id = 860001`,
        `update works set tags = '[{"name": "A", "likes": 1}]' where id = 860001`,
        `insert into manga_people (manga_id, position, person_id, role) values (860001, 1, ${person}, 'ART')`,
      ])
        assert.deepEqual(await changesSeen(run(change)), {
          full: ['UPSERT manga 860001'],
          limited: [],
        })
      assert.deepEqual(await changesSeen(run('delete from works where id = 860001')), {
        full: ['DELETE manga 860001'],
        limited: [],
      })
    })

    it('are reported to callers without catalog:full as DELETE when hidden and as UPSERT when shown again', async () => {
      const work = await make('galgame')
      const upsert = `UPSERT galgame ${work}`
      assert.deepEqual(await changesSeen(run(`update works set nsfw = true where id = ${work}`)), {
        full: [upsert],
        limited: [`DELETE galgame ${work}`],
      })
      assert.deepEqual(
        await changesSeen(
          run(`update works set tags = '[{"name": "A", "likes": 1}]' where id = ${work}`),
        ),
        { full: [upsert], limited: [] },
      )
      assert.deepEqual(
        await changesSeen(run(`update works set nsfw = false where id = ${work}`)),
        both(upsert),
      )
    })

    it('are reported as deleted to everyone if marked nsfw and then deleted', async () => {
      const work = await make('galgame')
      assert.deepEqual(
        await changesSeen(
          run(
            `update works set nsfw = true where id = ${work}; delete from works where id = ${work}`,
          ),
        ),
        both(`DELETE galgame ${work}`),
      )
    })

    it('are reported only as deleted if hidden again in the transaction that showed them', async () => {
      const work = await make('galgame', true)
      assert.deepEqual(
        await changesSeen(
          run(`update works set nsfw = false where id = ${work}; update works set nsfw = true where id = ${work};
               update galgames set origin_title = 'Changed' where id = ${work}`),
        ),
        { full: [`UPSERT galgame ${work}`], limited: [`DELETE galgame ${work}`] },
      )
    })
  })
})
