import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { onOneDatabase } from '#test/databases.ts'
import { allNumbered, Follower, readChanges, told } from '#test/follower.ts'
import { answerValidator } from '#test/openapi.ts'
import { startService, type TestService } from '#test/service.ts'
import type { Database } from '../../db/database.ts'
import { loadSample } from '../../sample.ts'

const PATH = '/api/v3/open/catalog/changes'

/** Every list of a work, with its kind. */
const LISTS = [
  ['galgame', ['staff', 'characters', 'character_actors', 'producers', 'relations']],
  ['light_novel', ['volumes', 'people', 'producers', 'characters']],
  ['manga', ['volumes', 'people', 'producers', 'characters']],
] as const

onOneDatabase('the change feed', (engine) => {
  let service: TestService
  /** With `catalog:full`, and without. */
  let tokens: { full: string; reader: string }
  let full: Follower
  let reader: Follower
  const problems = answerValidator()

  /** What both followers are told of what was done. */
  async function tellingOf(change: (db: Database) => Promise<unknown>) {
    await service.db.transaction().execute(change)
    await allNumbered(service.db)
    const [toFull, toReader] = await Promise.all([full.read(service.url), reader.read(service.url)])
    return { full: toFull.map(told), reader: toReader.map(told) }
  }
  const run = (text: string) => (db: Database) => sql.raw(text).execute(db)
  const both = (...items: string[]) => ({ full: items, reader: items })

  async function idsOf(type: string, nsfw = false): Promise<number[]> {
    const { rows } = await sql<{ id: number }>`
      select resource_id as id from catalog_entries
      where resource_type = ${type} and nsfw = ${nsfw} order by resource_id`.execute(service.db)
    return rows.map(({ id }) => id)
  }
  /** An entry nobody refers to, so that its end is its own affair. */
  async function make(type: 'galgame' | 'person', nsfw = false): Promise<number> {
    const { rows } = await (
      type === 'person'
        ? sql<{ id: number }>`insert into people (name) values ('New') returning id`
        : sql<{ id: number }>`
            with work as (insert into works (kind, nsfw) values ('galgame', ${nsfw}) returning id)
            insert into galgames (id, origin_title) select id, 'New' from work returning id`
    ).execute(service.db)
    await allNumbered(service.db)
    await Promise.all([full.read(service.url), reader.read(service.url)])
    return rows[0]?.id ?? 0
  }

  before(async () => {
    service = await startService({ engine })
    tokens = {
      full: await service.token('catalog:full catalog:sync'),
      reader: await service.token('catalog:sync'),
    }
    await allNumbered(service.db)
    const { latest_id } = await readChanges(service.url, tokens.full)
    full = new Follower(tokens.full, latest_id)
    reader = new Follower(tokens.reader, latest_id)
  })
  after(() => service.close())
  // Of a test that failed something may be left unread.
  beforeEach(() => Promise.all([full.read(service.url), reader.read(service.url)]))

  describe('from its beginning', () => {
    it('has every entry, nsfw works for catalog:full only, what works refer to first', async () => {
      const { rows } = await sql<{ resource_type: string; resource_id: number; nsfw: boolean }>`
        select * from catalog_entries`.execute(service.db)
      assert.ok(rows.length > 900)
      for (const [token, shown] of [
        [tokens.full, rows],
        [tokens.reader, rows.filter(({ nsfw }) => !nsfw)],
      ] as const) {
        const items = await new Follower(token).read(service.url)
        const upserts = shown.map(
          ({ resource_type, resource_id }) => `UPSERT ${resource_type} ${resource_id}`,
        )
        assert.deepEqual([...new Set(items.map(told))].toSorted(), upserts.toSorted())
      }
    })

    it('comes in parts of the size asked for, a hundred when none is', async () => {
      const whole = await new Follower(tokens.full).read(service.url, 500)
      assert.deepEqual(await new Follower(tokens.full).read(service.url, 173), whole)
      const { items, has_more, latest_id } = await readChanges(service.url, tokens.full)
      assert.deepEqual(items, whole.slice(0, 100))
      assert.equal(has_more, true)
      assert.equal(latest_id, whole.at(-1)?.id)
    })

    it('says that there is no more exactly when there is none', async () => {
      const whole = await new Follower(tokens.full).read(service.url)
      const [third, second, last] = whole.slice(-3)
      const since = third?.id ?? 0
      for (const [limit, more] of [
        [1, true],
        [2, false],
        [3, false],
      ] as const) {
        const part = await readChanges(service.url, tokens.full, `?since=${since}&limit=${limit}`)
        assert.deepEqual(part, {
          items: [second, last].slice(0, limit),
          latest_id: last?.id,
          has_more: more,
        })
      }
    })

    it('comes by number also when the clock was set back between two changes', async () => {
      const [first, second, third] = (await new Follower(tokens.full).read(service.url)).slice(-3)
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

    it('is empty after its end, which is told', async () => {
      const { latest_id } = await readChanges(service.url, tokens.full)
      for (const since of [latest_id, latest_id + 1_000, Number.MAX_SAFE_INTEGER])
        assert.deepEqual(await readChanges(service.url, tokens.full, `?since=${since}`), {
          items: [],
          latest_id,
          has_more: false,
        })
    })
  })

  describe('asked for', () => {
    it('needs catalog:sync, which catalog:full does not contain, and a token at all', async () => {
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

    it('refuses what is out of range, naming each field', async () => {
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
      const response = await service.get(`${PATH}?since=-1&limit=0&colour=red`, tokens.full)
      const { error } = (await response.json()) as { error: { field_errors: { field: string }[] } }
      assert.deepEqual(error.field_errors.map(({ field }) => field).toSorted(), ['limit', 'since'])
    })

    it('is the same on both families of paths, kept by nobody, and counts for the throttle', async () => {
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

  describe('tells an UPSERT', () => {
    for (const [kind, lists] of LISTS)
      for (const list of lists)
        it(`of a ${kind} when a row of its ${list} comes, changes and goes`, async () => {
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
            await tellingOf(run(`update ${table} set position = position + 1000 where ${one}`)),
            upsert,
          )
          assert.deepEqual(
            await tellingOf(
              run(`create table kept_${table} as select * from ${table} where ${one};
                   delete from ${table} where ${one}`),
            ),
            both(
              ...volumes.map(({ id }) => `DELETE ${kind}_volume ${id}`),
              `UPSERT ${kind} ${rows[0]?.id}`,
            ),
          )
          assert.deepEqual(
            await tellingOf(
              run(`insert into ${table} select * from kept_${table}; drop table kept_${table}`),
            ),
            upsert,
          )
          assert.deepEqual(
            await tellingOf(run(`update ${table} set position = position where ${one}`)),
            both(),
          )
        })

    it('of every entry that is new', async () => {
      for (const [kind, table, name] of [
        ['person', 'people', 'name'],
        ['producer', 'producers', 'name'],
        ['character', 'characters', 'name'],
      ])
        assert.deepEqual(
          await tellingOf(run(`insert into ${table} (id, ${name}) values (880001, 'New')`)),
          both(`UPSERT ${kind} 880001`),
        )
      for (const [kind, table, name] of [
        ['galgame', 'galgames', 'origin_title'],
        ['light_novel', 'light_novels', 'name'],
        ['manga', 'mangas', 'name'],
      ]) {
        const id = `88000${table?.length}`
        assert.deepEqual(
          await tellingOf(
            run(`insert into works (id, kind) values (${id}, '${kind}');
                 insert into ${table} (id, ${name}) values (${id}, 'New')`),
          ),
          both(`UPSERT ${kind} ${id}`),
        )
        assert.deepEqual(
          await tellingOf(run(`update ${table} set ${name} = 'Changed' where id = ${id}`)),
          both(`UPSERT ${kind} ${id}`),
        )
      }
    })

    it('once of an entry that a transaction writes many times, in the order they were first written', async () => {
      const [a, b] = await idsOf('person')
      assert.deepEqual(
        await tellingOf(
          run(`update people set name = 'First' where id = ${b};
               update people set name = 'Second' where id = ${a};
               update people set name = 'Third' where id = ${b}`),
        ),
        both(`UPSERT person ${b}`, `UPSERT person ${a}`),
      )
    })

    it('of none that is written and reads the same', async () => {
      assert.deepEqual(
        await tellingOf(
          run(`update works set nsfw = nsfw, tags = tags; update people set name = name;
               update galgames set covers = covers || '[]'::jsonb`),
        ),
        both(),
      )
    })

    it('of none whose change is undone', async () => {
      const [id] = await idsOf('person')
      await assert.rejects(
        service.db.transaction().execute(async (trx) => {
          await sql`update people set name = 'Undone' where id = ${id}`.execute(trx)
          throw new Error('undone')
        }),
        /undone/,
      )
      assert.deepEqual(await tellingOf(async () => {}), both())
    })

    it('of none when the same sources are imported again', async () => {
      assert.deepEqual(await tellingOf(async () => {}), both())
      // Earlier tests have changed rows by hand, which an import of the same records does not look at.
      await loadSample(service.db)
      const { rows } = await sql`select from catalog_changes_due`.execute(service.db)
      assert.equal(rows.length, 0)
      assert.deepEqual(await tellingOf(async () => {}), both())
    })
  })

  describe('tells a DELETE', () => {
    it('of an entry that is gone, and nothing else of it', async () => {
      const person = await make('person')
      assert.deepEqual(
        await tellingOf(
          run(
            `update people set name = 'Last' where id = ${person}; delete from people where id = ${person}`,
          ),
        ),
        both(`DELETE person ${person}`),
      )
    })

    it('of a work with all its lists, and of one that goes alone', async () => {
      const [clannad] = await idsOf('galgame')
      const [person] = await idsOf('person')
      const alone = await make('galgame')
      const work = await make('galgame')
      await tellingOf(
        run(`insert into galgame_staff values (${work}, 1, ${person}, 'ART');
             insert into galgame_relations values (${clannad}, 5000, ${work}, 'SEQUEL')`),
      )
      assert.deepEqual(await tellingOf(run(`delete from works where id = ${work}`)), {
        ...both(`DELETE galgame ${work}`, `UPSERT galgame ${clannad}`),
      })
      assert.deepEqual(
        await tellingOf(run(`delete from galgames where id = ${alone}`)),
        both(`DELETE galgame ${alone}`),
      )
    })

    it('of everything when a table is emptied', async () => {
      const { rows } = await sql<{ id: number }>`select id from producers order by id`.execute(
        service.db,
      )
      const work = await make('galgame')
      await tellingOf(
        run(`insert into galgame_producers values (${work}, 1, ${rows[0]?.id}, 'DEVELOPER')`),
      )
      const telling = await tellingOf(run('truncate producers cascade'))
      assert.deepEqual(
        telling.full.filter((item) => item.includes('producer')).toSorted(),
        rows.map(({ id }) => `DELETE producer ${id}`).toSorted(),
      )
      assert.ok(telling.full.includes(`UPSERT galgame ${work}`))
    })
  })

  describe('tells a MERGE', () => {
    it('of an entry that was given up for another', async () => {
      const [kept, gone] = [await make('person'), await make('person')]
      assert.deepEqual(
        await tellingOf(
          run(`insert into merged_entries (kind, id, merged_into) values ('person', ${gone}, ${kept});
               delete from people where id = ${gone}`),
        ),
        both(`MERGE person ${gone} into ${kept}`),
      )
      assert.deepEqual(
        await tellingOf(run(`delete from merged_entries where kind = 'person' and id = ${gone}`)),
        both(`DELETE person ${gone}`),
      )
    })

    it('of a work that the follower has never heard of', async () => {
      const [clannad] = await idsOf('galgame')
      assert.deepEqual(
        await tellingOf(
          run(
            `insert into merged_entries (kind, id, merged_into) values ('galgame', 870001, ${clannad})`,
          ),
        ),
        both(`MERGE galgame 870001 into ${clannad}`),
      )
    })

    it('only to those who may see what it leads to; for the others the entry is gone', async () => {
      const [shown, hidden] = [await make('galgame'), await make('galgame', true)]
      assert.deepEqual(
        await tellingOf(
          run(`insert into merged_entries (kind, id, merged_into) values ('galgame', ${shown}, ${hidden});
               delete from works where id = ${shown}`),
        ),
        { full: [`MERGE galgame ${shown} into ${hidden}`], reader: [`DELETE galgame ${shown}`] },
      )
    })

    it('of an nsfw work to nobody who could not see it', async () => {
      const [shown, hidden] = [await make('galgame'), await make('galgame', true)]
      assert.deepEqual(
        await tellingOf(
          run(`insert into merged_entries (kind, id, merged_into) values ('galgame', ${hidden}, ${shown});
               delete from works where id = ${hidden}`),
        ),
        { full: [`MERGE galgame ${hidden} into ${shown}`], reader: [] },
      )
    })
  })

  describe('of nsfw works', () => {
    it('tells nothing to those without catalog:full', async () => {
      const [person] = await idsOf('person')
      // Tags are for everybody; this one is told of before.
      await tellingOf(run(`insert into tags (name) values ('A')`))
      const { full: created, reader: nothing } = await tellingOf(
        run(`insert into works (id, kind, nsfw) values (860001, 'manga', true);
             insert into mangas (id, name) values (860001, 'Hidden')`),
      )
      assert.deepEqual([created, nothing], [['UPSERT manga 860001'], []])
      for (const change of [
        `update mangas set name = 'Changed' where id = 860001`,
        `update works set tags = '[{"name": "A", "likes": 1}]' where id = 860001`,
        `insert into manga_people (manga_id, position, person_id, role) values (860001, 1, ${person}, 'ART')`,
      ])
        assert.deepEqual(await tellingOf(run(change)), {
          full: ['UPSERT manga 860001'],
          reader: [],
        })
      assert.deepEqual(await tellingOf(run('delete from works where id = 860001')), {
        full: ['DELETE manga 860001'],
        reader: [],
      })
    })

    it('tells a DELETE to those who lose sight of one, and an UPSERT when they get it back', async () => {
      const work = await make('galgame')
      const upsert = `UPSERT galgame ${work}`
      assert.deepEqual(await tellingOf(run(`update works set nsfw = true where id = ${work}`)), {
        full: [upsert],
        reader: [`DELETE galgame ${work}`],
      })
      assert.deepEqual(
        await tellingOf(
          run(`update works set tags = '[{"name": "A", "likes": 1}]' where id = ${work}`),
        ),
        { full: [upsert], reader: [] },
      )
      assert.deepEqual(
        await tellingOf(run(`update works set nsfw = false where id = ${work}`)),
        both(upsert),
      )
    })

    it('tells of one that is marked and then deleted that it is gone, to everybody', async () => {
      const work = await make('galgame')
      assert.deepEqual(
        await tellingOf(
          run(
            `update works set nsfw = true where id = ${work}; delete from works where id = ${work}`,
          ),
        ),
        both(`DELETE galgame ${work}`),
      )
    })

    it('tells nothing of one that was hidden, shown for a moment and hidden in one transaction but that it is gone', async () => {
      const work = await make('galgame', true)
      assert.deepEqual(
        await tellingOf(
          run(`update works set nsfw = false where id = ${work}; update works set nsfw = true where id = ${work};
               update galgames set origin_title = 'Changed' where id = ${work}`),
        ),
        { full: [`UPSERT galgame ${work}`], reader: [`DELETE galgame ${work}`] },
      )
    })
  })
})
