import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { importRecords } from '#test/catalog.ts'
import { createDatabase, describeOnEachDatabase, type TestDatabase } from '#test/databases.ts'
import {
  numberAllChanges,
  fetchWithRetry,
  FeedFollower,
  readChanges,
  formatChange,
  type ChangeItem,
} from '#test/change-feed.ts'
import { freePort } from '#test/free-port.ts'
import { spawnService } from '#test/service-process.ts'
import { seedRandom, type SeededRandom } from '#test/seeded-random.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { startService, type TestService } from '#test/service.ts'
import type { Database } from '../../db/database.ts'
import { signal } from '../../db/upkeep/signals.ts'
import { isUnavailable } from '../../kernel/is-unavailable.ts'
import type { SourceRecord } from '../../sources/records/record.ts'
import { snapshotIfPending, numberChanges } from './sequencer-queries.ts'
import { listChanges, type Change } from './queries.ts'

const BASE = '/api/v3/open'
const PATHS: Record<string, string> = { person: 'people', galgame: 'galgames' }

/** Returns the names of all people and galgames that a follower may see. */
async function readNames(db: Database, seesNsfw: boolean): Promise<Map<string, string>> {
  const { rows } = await sql<{ key: string; name: string }>`
    select 'person ' || id as key, name from people
    union all
    select 'galgame ' || galgame.id, galgame.origin_title
    from galgames galgame join works work on work.id = galgame.id
    where ${seesNsfw} or not work.nsfw`.execute(db)
  return new Map(rows.map(({ key, name }) => [key, name]))
}

/** Copy of the names, maintained by following the feed and reading each changed entry, through any process. */
class Mirror {
  readonly names = new Map<string, string>()
  readonly #follower: FeedFollower
  readonly #token: string
  readonly #urls: string[]
  readonly #random: SeededRandom

  constructor(token: string, urls: string[], random: SeededRandom) {
    this.#token = token
    this.#urls = urls
    this.#random = random
    this.#follower = new FeedFollower(token, 0, fetchWithRetry)
  }

  /**
   * Reads the next changes.
   *
   * @returns true if there were any
   */
  async keepUp(): Promise<boolean> {
    const items = await this.#follower.read(this.#url(), 300)
    for (const [type, path] of Object.entries(PATHS)) {
      const ofType = items.filter(({ resource_type }) => resource_type.toLowerCase() === type)
      for (let start = 0; start < ofType.length; start += 100)
        await this.#read(type, path, ofType.slice(start, start + 100))
    }
    return items.length > 0
  }

  async #read(type: string, path: string, items: ChangeItem[]) {
    for (const { resource_id } of items) this.names.delete(`${type} ${resource_id}`)
    const ids = items.flatMap(({ kind, resource_id }) => (kind === 'UPSERT' ? [resource_id] : []))
    if (ids.length === 0) return
    const response = await fetchWithRetry(`${this.#url()}${BASE}/${path}?ids=${ids.join(',')}`, {
      headers: { authorization: `Bearer ${this.#token}` },
    })
    const { data } = (await response.json()) as {
      data: { items: { id: number; name?: string; origin_title?: string }[] }
    }
    for (const { id, name, origin_title } of data.items)
      this.names.set(`${type} ${id}`, name ?? origin_title ?? '')
  }

  #url = () => this.#random.pick(this.#urls)
}

/**
 * Runs one writer transaction: several slow changes, sometimes rolled back. Deadlocks and statement timeouts under
 * load also roll it back.
 */
async function write(db: Database, label: string, pauseMs: number, random: SeededRandom) {
  const idsOf = async (trx: Database, table: string) => {
    const { rows } = await sql<{
      id: number
    }>`select id from ${sql.table(table)} where id < 60 order by id`.execute(trx)
    return rows.map(({ id }) => id)
  }
  const undone = new Error('undone')
  try {
    await db.transaction().execute(async (trx) => {
      for (let count = 0; count < 3; count += 1) {
        const person = random.pick(await idsOf(trx, 'people'))
        const galgame = random.pick(await idsOf(trx, 'galgames'))
        const change = random.pick([
          sql`update people set name = ${label} where id = ${person}`,
          sql`update galgames set origin_title = ${label} where id = ${galgame}`,
          sql`update works set nsfw = not nsfw where id = ${galgame}`,
          sql`insert into people (name) values (${label})`,
          sql`delete from people where id = ${person}`,
          sql`delete from works where id = ${galgame} and random() < 0.1`,
          sql`update galgame_staff set credited_as = ${label} where galgame_id = ${galgame}`,
        ])
        await change.execute(trx)
        await sleep(random.next() * pauseMs)
      }
      await signal(trx, 'catalog')
      if (random.chance(0.2)) throw undone
    })
  } catch (error) {
    // as: properties that both engines add to database errors
    if (error !== undone && (error as { code?: string }).code !== '40P01' && !isUnavailable(error))
      throw error
  }
}

/** Runs an import that renames a few people. */
const peopleNamed = (label: string): SourceRecord[] =>
  Array.from({ length: 20 }, (_, index) => ({
    kind: 'person',
    external_id: `p${index}`,
    fields: { name: `${label} ${index}` },
  }))

describeOnEachDatabase('a copy of the catalog maintained through the feed', (engine) => {
  let database: TestDatabase
  let services: TestService[]

  before(async () => {
    database = await createDatabase(engine, 'sample')
    const service = await startService({ engine, database })
    services = [service]
    // The embedded database allows a single process.
    if (engine === 'embedded') return
    const port = await freePort()
    const environment = {
      PORT: String(port),
      AUTH_URL: service.config.authUrl,
      BASE_URL: `http://127.0.0.1:${port}`,
    }
    services.push(await startService({ engine, database, environment }))
  })
  after(async () => {
    for (const service of services) await service.close()
    await database.remove()
  })

  it('can get the changed entry from every process as soon as a change is published', async () => {
    const [service] = services
    assert.ok(service)
    const token = await service.token('catalog:full catalog:sync')
    const { rows } = await sql<{
      id: number
    }>`select id from people order by id desc limit 20`.execute(service.db)
    const ids = rows.map(({ id }) => id)
    await numberAllChanges(service.db)
    const follower = new FeedFollower(token, (await readChanges(service.url, token)).latest_id)
    const headers = { authorization: `Bearer ${token}` }
    const namesOf = async (url: string, some: number[]) => {
      const response = await fetch(`${url}${BASE}/people?ids=${some.join(',')}`, { headers })
      // as: the response of a batch
      const { data } = (await response.json()) as { data: { items: { name: string }[] } }
      return data.items.map(({ name }) => name)
    }
    const writing = (async () => {
      for (const id of ids) {
        await service.db.transaction().execute(async (trx) => {
          await sql`update people set name = 'At last' where id = ${id}`.execute(trx)
          await signal(trx, 'catalog')
        })
        // With this pause, the changes are spread over the whole polling interval.
        await sleep(45)
      }
    })()
    const received = new Set<number>()
    const deadline = Date.now() + 20_000
    while (received.size < ids.length) {
      assert.ok(Date.now() < deadline, `only ${received.size} changes were reported`)
      const items = await follower.read(service.url)
      for (const { resource_id } of items) received.add(resource_id)
      for (const { url } of services) {
        const news = items.map(({ resource_id }) => resource_id)
        if (news.length > 0)
          assert.deepEqual(
            await namesOf(url, news),
            news.map(() => 'At last'),
          )
        // Every process now has a cached response for each person.
        await namesOf(url, ids)
      }
    }
    await writing
  })

  it('ends up complete, regardless of commit order and of the processes it reads from', async () => {
    const [service] = services
    assert.ok(service)
    const urls = services.map(({ url }) => url)
    const random = seedRandom('writers, imports and who follows')
    const mirrors = [
      {
        seesNsfw: true,
        mirror: new Mirror(await service.token('catalog:full catalog:sync'), urls, random.fork()),
      },
      {
        seesNsfw: false,
        mirror: new Mirror(await service.token('catalog:read catalog:sync'), urls, random.fork()),
      },
    ]
    const writing = { done: false }
    const following = Promise.all(
      mirrors.map(async ({ mirror }) => {
        while (!writing.done) {
          await mirror.keepUp()
          await sleep(20)
        }
      }),
    )
    const rounds = engine === 'server' ? 25 : 10
    const working = { writers: engine === 'server' ? 3 : 1 }
    const writers = Array.from({ length: working.writers }, async (_, writer) => {
      const chance = random.fork()
      for (let round = 0; round < rounds; round += 1)
        await write(
          service.db,
          `writer ${writer} round ${round}`,
          engine === 'server' ? 80 : 5,
          chance,
        )
      working.writers -= 1
    })
    const importing = (async () => {
      for (let round = 0; working.writers > 0; round += 1)
        await importRecords(service.db, 'local', peopleNamed(`import ${round}`)).catch(
          (error: unknown) => {
            if (!isUnavailable(error)) throw error
          },
        )
    })()
    await Promise.all([...writers, importing])
    writing.done = true
    await following
    // From here on, the service itself numbers the changes.
    const latest = Date.now() + 30_000
    while ((await snapshotIfPending(service.db)) !== undefined) {
      assert.ok(Date.now() < latest, 'some changes still have no number')
      await sleep(100)
    }
    for (const { seesNsfw, mirror } of mirrors) {
      while (await mirror.keepUp());
      const sorted = (names: Map<string, string>) =>
        [...names].toSorted(([a], [b]) => (a < b ? -1 : 1))
      assert.deepEqual(sorted(mirror.names), sorted(await readNames(service.db, seesNsfw)))
    }
    // A copy of the template counts as a copied database, so its ids start above the floor.
    const { rows } = await sql<{ gaps: number }>`
      select count(*) as gaps
      from (select id, lag(id, 1, 0::bigint) over (order by id) as previous from catalog_changes) change
      where id <> previous + 1 and id <> (select id_floor + 1 from feed_state)`.execute(service.db)
    assert.equal(rows[0]?.gaps, 0)
  })
})

describe('the numbering of changes in a server database', () => {
  let database: OpenTestDatabase
  let other: { db: Database; close(): Promise<void> }
  const nameOf = (id: number, name: string) =>
    sql`update people set name = ${name} where id = ${id}`

  async function read(since: number) {
    const { changes, latestId } = await listChanges(database.db, {
      since,
      limit: 1_000,
      seesNsfw: true,
    })
    return { items: changes.map(textOfChange), latestId }
  }

  const textOfChange = (change: Change) => formatChange({ ...change, created_at: '' })

  before(async () => {
    database = await openTestDatabase('server')
    other = await database.reconnect()
    await numberAllChanges(database.db)
  })
  after(async () => {
    await other.close()
    await database.remove()
  })

  it('follows commit order, so a slow transaction is not missed', async () => {
    const { latestId: before } = await read(0)
    const commitGate = Promise.withResolvers<void>()
    const written = Promise.withResolvers<void>()
    const slow = database.db.transaction().execute(async (trx) => {
      await nameOf(1, 'slow').execute(trx)
      written.resolve()
      await commitGate.promise
    })
    await written.promise
    await nameOf(2, 'fast').execute(database.db)
    await numberAllChanges(other.db)
    const fast = await read(before)
    assert.deepEqual(fast.items, ['UPSERT person 2'])
    commitGate.resolve()
    await slow
    await numberAllChanges(other.db)
    assert.deepEqual((await read(fast.latestId)).items, ['UPSERT person 1'])
  })

  it('excludes changes committed after the snapshot was taken', async () => {
    await nameOf(3, 'before').execute(database.db)
    const snapshot = (await snapshotIfPending(database.db)) ?? ''
    await nameOf(4, 'after').execute(database.db)
    const { latestId } = await read(0)
    assert.equal(await numberChanges(database.db, snapshot), 1)
    assert.deepEqual((await read(latestId)).items, ['UPSERT person 3'])
    await numberAllChanges(database.db)
    assert.deepEqual((await read(latestId)).items, ['UPSERT person 3', 'UPSERT person 4'])
  })

  it('does not reveal an nsfw work deleted while an older change to it is being numbered', async () => {
    await sql`update works set nsfw = true where id = 1`.execute(database.db)
    await numberAllChanges(database.db)
    const { latestId } = await read(0)
    await sql`delete from galgame_staff where galgame_id = 1`.execute(database.db)
    const snapshot = (await snapshotIfPending(database.db)) ?? ''
    await sql`delete from works where id = 1`.execute(database.db)
    await numberChanges(database.db, snapshot)
    await numberAllChanges(database.db)
    const query = { since: latestId, limit: 100 }
    const hidden = await listChanges(database.db, { ...query, seesNsfw: false })
    assert.ok(hidden.changes.every((change) => textOfChange(change) !== 'DELETE galgame 1'))
    const full = await listChanges(database.db, { ...query, seesNsfw: true })
    const ofWork = full.changes.filter(
      (change) => change.resource_type === 'GALGAME' && change.resource_id === 1,
    )
    assert.equal(ofWork.at(-1)?.kind, 'DELETE')
  })

  it('numbers each change once if processes run concurrently', async () => {
    const { latestId } = await read(0)
    const { rows } = await sql<{ id: number }>`
      update people set name = name || '!' returning id`.execute(database.db)
    const snapshot = (await snapshotIfPending(database.db)) ?? ''
    const passes = await Promise.all(
      [database, other, database, other].map(({ db }) => numberChanges(db, snapshot)),
    )
    assert.equal(
      passes.reduce((sum, notes) => sum + notes, 0),
      rows.length,
    )
    await numberAllChanges(database.db)
    const { items, latestId: now } = await read(latestId)
    assert.equal(items.length, rows.length)
    assert.equal(new Set(items).size, rows.length)
    assert.equal(now, latestId + rows.length)
  })

  it('includes pending changes restored from a backup of another server', async () => {
    await sql`
      insert into catalog_changes_due (transaction_id, resource_type, resource_id)
      values ('99999999999', 'person', 5)`.execute(database.db)
    const { latestId } = await read(0)
    await numberAllChanges(database.db)
    assert.deepEqual((await read(latestId)).items, ['UPSERT person 5'])
  })

  it('continues in another process if one is killed', async () => {
    const environment = {
      DATA_DIR: database.place.dataDir,
      DATABASE_URL: database.place.databaseUrl,
    }
    const [killed, left] = [await spawnService(environment), await spawnService(environment)]
    try {
      const { latestId } = await read(0)
      const expected: string[] = []
      for (let round = 0; round < 15; round += 1) {
        const { rows } = await sql<{ id: number }>`
          insert into people (name) select 'New' from generate_series(1, 300) returning id`.execute(
          database.db,
        )
        expected.push(...rows.map(({ id }) => `UPSERT person ${id}`))
        if (round === 9) await killed.stop('SIGKILL')
        await sleep(150)
      }
      const deadline = Date.now() + 20_000
      while ((await snapshotIfPending(database.db)) !== undefined) {
        assert.ok(Date.now() < deadline, 'some changes still have no number')
        await sleep(100)
      }
      const { changes } = await listChanges(database.db, {
        since: latestId,
        limit: 10_000,
        seesNsfw: false,
      })
      assert.deepEqual(changes.map(textOfChange), expected)
      assert.deepEqual(
        changes.map(({ id }) => id),
        expected.map((_, index) => latestId + 1 + index),
      )
    } finally {
      await killed.stop('SIGKILL')
      await left.stop()
    }
  })
})
