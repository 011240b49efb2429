import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql, type RawBuilder } from 'kysely'
import { describeOnDatabase, skipEmbedded } from '#test/databases.ts'
import {
  assertExactCounts,
  assertExactHistories,
  createAccounts,
  waitForTotals,
  type Work,
} from '#test/ratings.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { seedRandom } from '#test/seeded-random.ts'
import { startService, type TestService } from '#test/service.ts'
import { statementsOf } from '#test/statements.ts'
import { WORK_KINDS } from '../../catalog/kinds.ts'
import { isDistributed } from '../../db/sharding/distribute.ts'
import { ApiError } from '../../http/wire/errors/errors.ts'
import { STATUSES, type RatingChange } from '../fields.ts'
import { saveRating } from './queries.ts'
import { ratingWrites, type SaveRating } from './shared-writes.ts'
import { saveStatement } from './write-statements.ts'

const USERS = 8

/** Beginning of the statement that saves one rating. */
const OWN_STATEMENT = saveStatement('galgame', {}).save.text.slice(0, 100)

/** A change by the user at an index. */
type Write = { user: number; work: Work; change: RatingChange }

describeOnDatabase('ratings of several users that are saved at once', (engine) => {
  const random = seedRandom(`shared writes, ${engine}`)
  let service: TestService
  let works: Work[]
  before(async () => {
    service = await startService({ engine })
    const sample = await sampleWorks(service.db)
    works = WORK_KINDS.flatMap((kind) => sample[kind].slice(0, 5).map((id) => ({ kind, id })))
  })
  after(() => service.close())

  const randomChange = (): RatingChange =>
    random.pick<RatingChange>([
      { rate: 1 + random.below(10) },
      { status: random.pick([...STATUSES, null]) },
      { rate: random.pick([null, 1.5, 10]), status: random.pick(STATUSES) },
      { rate_content: random.pick(['Fine.', '']) },
      {},
    ])

  /** Saves at once. Returns each rating, or the code of its error. */
  async function saveAll(users: number[], writes: Write[], by?: SaveRating): Promise<unknown[]> {
    const save = by ?? ratingWrites(service.db, await isDistributed(service.db))
    return Promise.all(
      writes.map(async ({ user, work, change }, index) => {
        const key = { accountId: users[user] ?? 0, kind: work.kind, workId: work.id }
        try {
          return JSON.parse(await save(key, `app-${index % 3}`, change))
        } catch (error) {
          return error instanceof ApiError ? error.code : error
        }
      }),
    )
  }

  /** Returns the ratings and the history of these users, with their index instead of their ID. */
  async function storedBy(users: number[]) {
    const list = sql.val(users)
    const { rows: ratings } = await sql`
      select array_position(${list}::bigint[], account_id) as user, work_id, kind, hidden, rating_fields(rating) as fields
      from ratings rating where account_id = any(${list}) order by 1, 2`.execute(service.db)
    const { rows: changes } = await sql`
      select array_position(${list}::bigint[], account_id) as user, work_id, kind, action, client_id, fields
      from rating_changes where account_id = any(${list}) order by 1, 2, id`.execute(service.db)
    return { ratings, changes }
  }

  const isShared = ({ sql: text }: { sql: string }) =>
    text.includes('for key share of work skip locked')

  it('leave the same rows and responses as one after another', async () => {
    const [together, alone] = [
      await createAccounts(service.db, USERS),
      await createAccounts(service.db, USERS),
    ]
    let shared = 0
    for (let round = 0; round < 2; round += 1) {
      const writes = Array.from({ length: USERS }, (_, user) => user).flatMap((user) =>
        works.map((work): Write => ({ user, work, change: randomChange() })),
      )
      const responses: unknown[] = []
      const statements = await statementsOf(async () => {
        responses.push(...(await saveAll(together, writes)))
      })
      shared += statements.filter(isShared).length
      for (const [index, { user, work, change }] of writes.entries()) {
        const key = { accountId: alone[user] ?? 0, kind: work.kind, workId: work.id }
        const saved = JSON.parse(await saveRating(service.db, key, `app-${index % 3}`, change))
        const { id: _id, created_at: _created, updated_at: _updated, ...fields } = saved
        assert.partialDeepStrictEqual(responses[index], fields)
      }
      assert.deepEqual(await storedBy(together), await storedBy(alone))
    }
    assert.ok(shared > 2, `${shared} shared statements`)
    await waitForTotals(service.db)
    await assertExactCounts(service.db)
  })

  it('leave consistent rows in any order, even if they change the same ratings', async () => {
    const users = await createAccounts(service.db, USERS)
    for (let round = 0; round < 3; round += 1) {
      const writes = Array.from({ length: 150 }, (): Write => ({
        user: random.below(3),
        work: random.pick(works.slice(0, 6)),
        change: randomChange(),
      }))
      const statuses = await saveAll(users, writes)
      assert.ok(statuses.every((status) => typeof status === 'object' && status !== null))
    }
    await assertExactHistories(service.db)
    await waitForTotals(service.db)
    await assertExactCounts(service.db)
  })

  it('keep `updated_at` if nothing changes, and advance it otherwise', async () => {
    const users = await createAccounts(service.db, USERS)
    const writes = (change: RatingChange) =>
      users.map((_id, user): Write => ({ user, work: first(works), change }))
    const timesOf = (saved: unknown[]) =>
      // as: ratings
      (saved as { updated_at: string }[]).map(({ updated_at }) => updated_at)
    const created = timesOf(await saveAll(users, writes({ rate: 5 })))
    assert.deepEqual(timesOf(await saveAll(users, writes({ rate: 5 }))), created)
    const changed = timesOf(await saveAll(users, writes({ rate: 6 })))
    assert.ok(changed.every((time, index) => time > (created[index] ?? '')))
  })

  it('fail one by one: for a missing, withdrawn or other kind of work, and a deleted user', async () => {
    const users = await createAccounts(service.db, 40)
    const [work, withdrawn, rated] = [works[0], works[1], works[2]]
    assert.ok(work && withdrawn && rated)
    await saveAll(users, [{ user: 5, work: rated, change: { rate: 1 } }])
    await sql`update work_refs set withdrawn = true where id in (${withdrawn.id}, ${rated.id})`.execute(
      service.db,
    )
    await sql`delete from account_refs where id = ${users[4]}`.execute(service.db)
    const other = WORK_KINDS.find((kind) => kind !== work.kind)
    assert.ok(other)
    const failing = new Map<number, Work>([
      [1, { kind: work.kind, id: 999_999_999 }],
      [2, { kind: other, id: work.id }],
      [3, withdrawn],
      [4, work],
      [6, rated],
    ])
    const writes = users.map((_id, user): Write => ({
      user,
      work: user === 5 ? rated : (failing.get(user) ?? work),
      change: { rate: 7 },
    }))
    const saved = await saveAll(users, writes)
    const codes = saved.map((result) => (typeof result === 'string' ? result : undefined))
    await sql`update work_refs set withdrawn = false where withdrawn`.execute(service.db)
    assert.deepEqual(
      codes.flatMap((code, user) => (code === undefined ? [] : [`${user} ${code}`])),
      [...failing.keys()].map((user) => `${user} COMMON_NOT_FOUND`),
    )
    assert.equal((await storedBy(users)).ratings.length, users.length - failing.size)
  })

  const several = { skip: skipEmbedded(engine) }
  const LOCKS: Record<string, (user: number, work: Work) => RawBuilder<unknown>> = {
    'their user': (user) => sql`select from account_refs where id = ${user} for no key update`,
    'their rating': (user, { id }) =>
      sql`select from ratings where account_id = ${user} and work_id = ${id} for update`,
    'the work of a new rating': (_user, { id }) =>
      sql`select from work_refs where id = ${id} for update`,
    'a rating that is being inserted': (user, { id, kind }) => sql`
      insert into ratings (account_id, work_id, kind, updated_at) values (${user}, ${id}, ${kind}, now())`,
  }
  for (const [subject, lock] of Object.entries(LOCKS))
    it(`do not wait for another write that waits for a lock on ${subject}`, several, async () => {
      const save = ratingWrites(service.db, false)
      const users = await createAccounts(service.db, 40)
      const [work, locked] = [works[0], works[3]]
      assert.ok(work && locked)
      const isRated = subject === 'their rating'
      if (isRated) await saveAll(users, [{ user: 20, work: locked, change: { rate: 2 } }])
      const writes = users.map((_id, user): Write => ({
        user,
        work: user === 20 ? locked : work,
        change: { rate: 3 },
      }))
      const [isLocked, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const holder = service.db.transaction().execute(async (trx) => {
        await lock(users[20] ?? 0, locked).execute(trx)
        isLocked.resolve()
        await mayEnd.promise
      })
      await isLocked.promise
      let isFinished = false
      let saved: Promise<unknown>[] = []
      const statements = await statementsOf(async () => {
        saved = writes.map(async (write) => (await saveAll(users, [write], save))[0])
        void saved[20]?.then(() => (isFinished = true))
        await Promise.all(saved.toSpliced(20, 1))
      })
      assert.equal(isFinished, false)
      // A row that cannot be skipped makes all writes of the statement run their own.
      const alone = statements.filter(({ sql: text }) => text.startsWith(OWN_STATEMENT)).length
      assert.equal(alone < 20, subject !== 'a rating that is being inserted', `${alone} alone`)
      mayEnd.resolve()
      await holder
      assert.partialDeepStrictEqual(await saved[20], { rate: 3 })
    })

  const breaking = (user: number, statement: string) => sql`
    create function break_rating() returns trigger language plpgsql as ${sql.raw(
      `$$ begin if new.account_id = ${user} then ${statement} end if; return new; end $$`,
    )}`
  const BROKEN: Record<string, [statement: string, isRepeated: boolean]> = {
    'is cancelled': [`raise 'Cancelled' using errcode = '57014';`, true],
    'loses its connection': ['perform pg_terminate_backend(pg_backend_pid());', false],
  }
  for (const [how, [statement, isRepeated]] of Object.entries(BROKEN))
    it(
      `${isRepeated ? 'are' : 'are not'} saved one by one if their statement ${how}`,
      several,
      async () => {
        const users = await createAccounts(service.db, 40)
        const writes = users.map((_id, user): Write => ({
          user,
          work: first(works),
          change: { rate: 3 },
        }))
        await breaking(users[20] ?? 0, statement).execute(service.db)
        await sql`create trigger break_rating before insert on ratings for each row execute function break_rating()`.execute(
          service.db,
        )
        const saved: unknown[] = []
        const statements = await statementsOf(async () => {
          saved.push(...(await saveAll(users, writes)))
        })
        await sql`drop function break_rating cascade`.execute(service.db)
        const failed = saved.filter((result) => result instanceof Error).length
        const alone = statements.filter(({ sql: text }) => text.startsWith(OWN_STATEMENT)).length
        // The first four ran their own statements.
        assert.deepEqual(
          [failed === 1, alone > 4],
          [isRepeated, isRepeated],
          `${failed} failed, ${alone} alone`,
        )
        assert.equal((await storedBy(users)).ratings.length, users.length - failed)
      },
    )

  it('use a statement each if user data is distributed', async () => {
    const users = await createAccounts(service.db, 40)
    const writes = users.map((_id, user): Write => ({
      user,
      work: first(works),
      change: { rate: 3 },
    }))
    await sql`create table pg_dist_partition (logicalrelid regclass)`.execute(service.db)
    await sql`insert into pg_dist_partition values ('ratings'::regclass)`.execute(service.db)
    const statements = await statementsOf(() => saveAll(users, writes))
    await sql`drop table pg_dist_partition`.execute(service.db)
    assert.equal(statements.filter(isShared).length, 0)
    assert.equal((await storedBy(users)).ratings.length, users.length)
  })
})
