import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { numberAllChanges } from '#test/change-feed.ts'
import { createAccounts, writeRating, type Work } from '#test/ratings.ts'
import { sendApiRequest } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { banAccount, unbanAccount } from '../accounts/ban-queries.ts'
import { deleteAccount } from '../accounts/deletion-queries.ts'
import { KINDS } from '../catalog/kinds.ts'
import { signal } from '../db/upkeep/signals.ts'
import { runDueSteps } from '../db/upkeep/due-tasks.ts'
import { makeSimilarSteps } from './similar-task.ts'

const BASE = '/api/v3/open'

type Item = { reason: string; work: { id: number; type: string; nsfw: boolean } }

describeOnDatabase('the list of similar works', (engine) => {
  let service: TestService
  let full: string
  let readToken: string

  const send = (path: string, token = full) =>
    sendApiRequest<{ items: Item[] }>(service.url, { path: `${BASE}/${path}`, token })
  /** Returns `REASON id` of each similar work after all due works have been computed. */
  async function similarTo({ id, kind }: Work, query = '', token = full): Promise<string[]> {
    await computed()
    const { data } = await send(`${KINDS[kind].path}/${id}/similar${query}`, token)
    return data.items.map(({ reason, work }) => `${reason} ${work.id}`)
  }
  /** Runs all due steps at once. The background task of the service may take turns with it. */
  async function computed() {
    await numberAllChanges(service.db)
    for (;;) {
      const { rows } = await sql<{ left: boolean }>`
        select exists (select from rating_deltas)
          or exists (select from like_notes)
          -- since is rounded to milliseconds, so it may be up to half of one ahead.
          or exists (select from similar_due where since <= clock_timestamp() + interval '1 ms')
          or exists (select from catalog_changes where id > (select change_id from similar_position)) as left
      `.execute(service.db)
      if (!rows[0]?.left) return
      await runDueSteps(service.db, makeSimilarSteps())
    }
  }
  const run = (text: string) => sql.raw(text).execute(service.db)

  let last = 910_000
  /** Works that have nothing in common with any other work. */
  async function make(
    count: number,
    kind: Work['kind'] = 'galgame',
    nsfw = false,
  ): Promise<Work[]> {
    const works = Array.from({ length: count }, () => ({ id: (last += 1), kind }))
    const rows = (row: (id: number) => string) => works.map(({ id }) => `(${row(id)})`).join(', ')
    await run(`
      insert into works (id, kind, nsfw) values ${rows((id) => `${id}, '${kind}', ${nsfw}`)};
      insert into work_refs (id, kind) values ${rows((id) => `${id}, '${kind}'`)};
      insert into ${KINDS[kind].table} (id, ${kind === 'galgame' ? 'origin_title' : 'name'})
      values ${rows((id) => `${id}, 'W ${id}'`)}`)
    return works
  }
  async function makeOne(kind: Work['kind'] = 'galgame', nsfw = false): Promise<Work> {
    const [work] = await make(1, kind, nsfw)
    assert.ok(work)
    return work
  }
  const makePair = async () => [await makeOne(), await makeOne()] as const
  const like = (account: number, work: Work, more = {}) =>
    writeRating(service.db, account, work, { rate: 9, status: 'COMPLETED', ...more })

  before(async () => {
    service = await startService({ engine })
    full = await service.token('catalog:full')
    readToken = await service.token('catalog:read')
  })
  after(() => service.close())

  it('begins with sequels, followed by works by the same people and producers', async () => {
    const [first, ...others] = await similarTo({ id: 1, kind: 'galgame' })
    assert.equal(first, 'SERIES 2')
    assert.deepEqual(others.toSorted(), ['STAFF 3', 'STAFF 4', 'STAFF 5'])
  })

  it('contains works of the same kind unless other kinds are requested', async () => {
    const [game, novel, manga] = [
      await makeOne(),
      await makeOne('light_novel'),
      await makeOne('manga'),
    ]
    await run(`
      insert into people (id, name) values (910001, 'One');
      insert into galgame_staff (galgame_id, position, person_id) values (${game.id}, 1, 910001);
      insert into light_novel_people (light_novel_id, position, person_id, relation) values (${novel.id}, 1, 910001, 'author');
      insert into manga_people (manga_id, position, person_id, role) values (${manga.id}, 1, 910001, 'AUTHOR')`)
    assert.deepEqual(await similarTo(game), [])
    assert.deepEqual(await similarTo(game, '?types=manga'), [`STAFF ${manga.id}`])
    assert.deepEqual(await similarTo(game, '?types=galgame,light_novel&types=manga'), [
      `STAFF ${novel.id}`,
      `STAFF ${manga.id}`,
    ])
  })

  it('contains works that share rare tags or characters, but not the work itself', async () => {
    const [first, second] = await makePair()
    await run(`
      update works set tags = '[{"name": "rare", "likes": 9}, {"name": "rarer", "likes": 8}, {"name": "rarest", "likes": 1}]'
      where id in (${first.id}, ${second.id})`)
    assert.deepEqual(await similarTo(first), [`TAGS ${second.id}`])
    assert.deepEqual(await similarTo(second), [`TAGS ${first.id}`])
    const [third, fourth] = await makePair()
    await run(`
      insert into characters (id, name) values (910001, 'Heroine');
      insert into galgame_characters values (${third.id}, 1, 910001, 'MAIN'), (${fourth.id}, 1, 910001, 'GUEST')`)
    assert.deepEqual(await similarTo(third), [`SERIES ${fourth.id}`])
  })

  it('reflects added and deleted relations between two works for both of them', async () => {
    const [first, second] = await makePair()
    assert.deepEqual(await similarTo(first), [])
    await run(`insert into galgame_relations values (${first.id}, 1, ${second.id}, 'SEQUEL')`)
    assert.deepEqual(await similarTo(first), [`SERIES ${second.id}`])
    assert.deepEqual(await similarTo(second), [`SERIES ${first.id}`])
    await run(`delete from galgame_relations where galgame_id = ${first.id}`)
    assert.deepEqual(await similarTo(first), [])
  })

  it('begins with works that at least three of the same users like', async () => {
    const [first, second] = await makePair()
    const sequel = await makeOne()
    await run(`insert into galgame_relations values (${first.id}, 1, ${sequel.id}, 'SEQUEL')`)
    const accounts = await createAccounts(service.db, 3)
    for (const account of accounts.slice(0, 2))
      for (const work of [first, second]) await like(account, work)
    assert.deepEqual(await similarTo(first), [`SERIES ${sequel.id}`])
    for (const work of [first, second])
      await like(accounts[2] ?? 0, work, { rate: 7, status: null })
    assert.deepEqual(await similarTo(first), [`READERS ${second.id}`, `SERIES ${sequel.id}`])
    assert.deepEqual(await similarTo(second), [`READERS ${first.id}`])
  })

  it('is not affected by private ratings, low scores or ratings of banned users', async () => {
    const [one, other] = await makePair()
    const [first = 0, second = 0, third = 0] = await createAccounts(service.db, 3)
    for (const account of [first, second])
      for (const work of [one, other]) await like(account, work)
    const similar = async () => [await similarTo(one), await similarTo(other)]
    const both = [[`READERS ${other.id}`], [`READERS ${one.id}`]]
    const neither = [[], []]
    await like(third, one)
    await like(third, other, { status_private: true })
    assert.deepEqual(await similar(), neither)
    await like(third, other, { status_private: false, rate: 6.9 })
    assert.deepEqual(await similar(), neither)
    await like(third, other, { rate: 7 })
    assert.deepEqual(await similar(), both)
    // A rating that is no longer public must not affect either work.
    await like(third, other, { status_private: true })
    assert.deepEqual(await similar(), neither)
    await like(third, other, { status_private: false })
    assert.deepEqual(await similar(), both)
    await banAccount(service.db, first, 'a test')
    assert.deepEqual(await similar(), neither)
    await unbanAccount(service.db, first)
    assert.deepEqual(await similar(), both)
    await deleteAccount(service.db, second)
    assert.deepEqual(await similar(), neither)
  })

  it('contains up to twenty visible works, whether or not the caller has access to nsfw works', async () => {
    const center = await makeOne()
    // Equal similarity sorts by id. If the limit were shared, the nsfw works would displace the other works.
    const works = [...(await make(22, 'galgame', true)), ...(await make(22))]
    await run(`
      insert into galgame_relations
      select ${center.id}, id, id, 'SAME_SERIES' from unnest(array[${works.map(({ id }) => id).join(',')}]) id`)
    const seen = await similarTo(center)
    assert.equal(seen.length, 20)
    const { data } = await send(`galgames/${center.id}/similar`, readToken)
    assert.equal(data.items.length, 20)
    assert.ok(data.items.every(({ work }) => !work.nsfw))
  })

  it('excludes deleted and merged works even before the next computation', async () => {
    const [first, second] = await makePair()
    const third = await makeOne()
    await run(`insert into galgame_relations values
      (${first.id}, 1, ${second.id}, 'SEQUEL'), (${first.id}, 2, ${third.id}, 'SEQUEL')`)
    assert.equal((await similarTo(first)).length, 2)
    await run(`
      delete from works where id = ${second.id};
      insert into merged_entries (kind, id, merged_into) values ('galgame', ${third.id}, ${first.id})`)
    assert.deepEqual((await send(`galgames/${first.id}/similar`)).data.items, [])
    assert.deepEqual(await similarTo(first), [])
    const { rows } = await sql`
      select work_id from work_profiles where work_id in (${second.id}, ${third.id})
      union all
      select work_id from similar_works where work_id = ${second.id}`.execute(service.db)
    assert.deepEqual(rows, [])
  })

  it('is based on tag and work counts that stay exact while works are added and deleted', async () => {
    await computed()
    const { rows } = await sql<{ off: number; works: number; profiles: number }>`
      select
        (
          select count(*)
          from (select tag_id, count(*) as works from work_profiles, unnest(tags) tag (tag_id) group by tag_id) fresh
          full join (select * from tag_counts where works <> 0) counted using (tag_id)
          where fresh.works is distinct from counted.works
        ) as off,
        (select works from similar_position) as works,
        (select count(*) from work_profiles) as profiles`.execute(service.db)
    const [counted] = rows
    assert.equal(counted?.off, 0)
    assert.equal(counted?.works, counted?.profiles)
  })

  it('is recomputed only if a change affects the profile of a work', async () => {
    const [first, second] = await makePair()
    await run(`insert into galgame_relations values (${first.id}, 1, ${second.id}, 'SEQUEL')`)
    await computed()
    const times = async () =>
      (
        await sql`select computed_at from similar_works where work_id in (${first.id}, ${second.id})`.execute(
          service.db,
        )
      ).rows
    const before = await times()
    await run(`update galgames set origin_intro = 'Another' where id = ${first.id}`)
    await computed()
    assert.deepEqual(await times(), before)
  })

  it('returns the same errors as the work itself if it is missing, hidden, merged or of a different kind', async () => {
    const hidden = await makeOne('galgame', true)
    const novel = await makeOne('light_novel')
    await run(`insert into merged_entries (kind, id, merged_into) values ('galgame', 990001, 1)`)
    await signal(service.db, 'catalog')
    for (const [path, token] of [
      ['galgames/999999/similar', full],
      [`galgames/${novel.id}/similar`, full],
      [`galgames/${hidden.id}/similar`, readToken],
    ] as const) {
      const { status, code } = await send(path, token)
      assert.deepEqual([status, code], [404, 'COMMON_NOT_FOUND'], path)
    }
    assert.equal((await send('galgames/990001/similar')).code, 'WIKI_RESOURCE_MERGED')
    for (const types of ['anime', 'galgame,x', '%00', "'"]) {
      const { status, fields } = await send(`galgames/1/similar?types=${types}`)
      assert.deepEqual([status, fields[0]], [422, 'types'])
    }
    assert.equal((await service.get('/v3/galgames/1/similar', full)).status, 200)
    assert.equal((await service.get('/v3/galgames/1/similar')).status, 401)
  })
})
