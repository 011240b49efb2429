import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { createDatabase, describeOnDatabase, type TestDatabase } from '#test/databases.ts'
import { waitForBlocked } from '#test/blocked-connections.ts'
import { asAnotherProcess } from '#test/refuse-second-connections.ts'
import { freePort } from '#test/free-port.ts'
import {
  assertExactCounts,
  assertExactHistories,
  createAccounts,
  expectedRatings,
  waitForTotals,
  writeRating,
  fetchRating,
  type Work,
} from '#test/ratings.ts'
import { seedRandom, type SeededRandom } from '#test/seeded-random.ts'
import { startService, type TestService } from '#test/service.ts'
import { sampleWorks } from '#test/sample-works.ts'
import { banAccount, unbanAccount } from '../../accounts/ban-queries.ts'
import { deleteAccount } from '../../accounts/deletion-queries.ts'
import { ADVISORY_LOCKS, holdLock } from '../../db/advisory-locks.ts'
import type { Database } from '../../db/database.ts'
import { deleteRating } from '../own/queries.ts'
import { deleteVote, saveVote } from '../reviews/vote-queries.ts'
import { applyRatingDeltas } from './queries.ts'

describeOnDatabase('a work’s published rating', (engine) => {
  let database: TestDatabase
  let service: TestService
  /** A second process if the engine can be shared, otherwise the same one. */
  let otherProcess: TestService
  let token: string
  let novels: Work[]
  before(async () => {
    database = await createDatabase(engine, 'sample')
    service = await startService({ database })
    otherProcess =
      engine === 'server'
        ? await startService({ database, environment: await secondProcess(service) })
        : service
    token = await service.token()
    novels = (await sampleWorks(service.db)).light_novel.map((id) => ({ id, kind: 'light_novel' }))
  })
  after(async () => {
    await service.close()
    if (otherProcess !== service) await otherProcess.close()
    await database.remove()
  })

  /** Returns a work without ratings. */
  const newWork = () => {
    const work = novels.pop()
    assert.ok(work)
    return work
  }
  const shown = (work: Work, by = service) => fetchRating(by, token, work)
  const eventuallyShows = (work: Work, name: { score: number; total: number }, by = service) =>
    eventually(
      async () => {
        const { score, total } = await shown(work, by)
        return score === name.score && total === name.total
      },
      `that ${JSON.stringify(name)} is shown`,
    )

  it('is the mean of the work’s scores to two decimals, with a count for each whole point', async () => {
    const work = newWork()
    const users = await createAccounts(service.db, 4)
    assert.deepEqual(await shown(work), { score: 0, total: 0, count: counts({}) })
    for (const [index, rate] of [8.5, 8, 10, null].entries())
      await writeRating(service.db, users[index] ?? 0, work, { rate })
    await eventuallyShows(work, { score: 8.83, total: 3 })
    const response = await service.get(`/v3/light-novels/${work.id}`, token)
    assert.match(
      await response.text(),
      /"rating":\{"score":8\.83,"total":3,"count":\{"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":2,"9":0,"10":1\}\}/,
    )
  })

  it('reflects changed and cleared scores, deleted ratings and deleted accounts', async () => {
    const work = newWork()
    const [first = 0, second = 0, third = 0] = await createAccounts(service.db, 3)
    for (const user of [first, second, third])
      await writeRating(service.db, user, work, { rate: 6 })
    await eventuallyShows(work, { score: 6, total: 3 })
    await writeRating(service.db, first, work, { rate: 9 })
    await eventuallyShows(work, { score: 7, total: 3 })
    await writeRating(service.db, first, work, { rate: null })
    await eventuallyShows(work, { score: 6, total: 2 })
    await deleteRating(
      service.db,
      { accountId: second, kind: 'light_novel', workId: work.id },
      'a test',
    )
    await eventuallyShows(work, { score: 6, total: 1 })
    await deleteAccount(service.db, third)
    await eventuallyShows(work, { score: 0, total: 0 })
    assert.equal((await shown(work)).count['6'], 0)
    const { rows } = await sql`
      select from rating_counts where work_id = ${work.id} and field = 'rate'`.execute(service.db)
    assert.deepEqual(rows, [], 'counts of cleared scores are deleted')
  })

  it('excludes the scores of users while they are banned', async () => {
    const work = newWork()
    const [first = 0, second = 0] = await createAccounts(service.db, 2)
    await writeRating(service.db, first, work, { rate: 4 })
    await writeRating(service.db, second, work, { rate: 8 })
    await eventuallyShows(work, { score: 6, total: 2 })
    await banAccount(service.db, second, 'a test')
    await eventuallyShows(work, { score: 4, total: 1 })
    await unbanAccount(service.db, second)
    await eventuallyShows(work, { score: 6, total: 2 })
  })

  it('is updated within a second, even in processes that have cached it', async () => {
    const work = newWork()
    const [user = 0] = await createAccounts(service.db, 1)
    const took: number[] = []
    // Uses the best of several runs, because a busy machine can be slow for seconds even if the program is not.
    for (let rate = 1; rate <= 10 && Math.min(...took) > 1_000; rate += 1) {
      for (const process of [service, otherProcess]) await shown(work, process)
      await writeRating(service.db, user, work, { rate })
      const start = performance.now()
      await eventuallyShows(work, { score: rate, total: 1 }, otherProcess)
      took.push(performance.now() - start)
      await eventuallyShows(work, { score: rate, total: 1 })
    }
    assert.ok(Math.min(...took) <= 1_000, `the runs took ${took.join()} ms`)
  })

  it('does not invalidate cached responses for other works when it changes', async () => {
    const [work, other] = [newWork(), newWork()]
    const [user = 0] = await createAccounts(service.db, 1)
    await shown(other)
    // This update sends no signal, so only a cached response contains the old text.
    await sql`update light_novels set summary = 'changed without a signal' where id = ${other.id}`.execute(
      service.db,
    )
    await writeRating(service.db, user, work, { rate: 3 })
    await eventuallyShows(work, { score: 3, total: 1 })
    const response = await service.get(`/v3/light-novels/${other.id}`, token)
    assert.doesNotMatch(await response.text(), /changed without a signal/)
  })

  if (engine === 'server')
    it('is updated without waiting for writers or blocking them', async () => {
      const [work, other] = [newWork(), newWork()]
      const [one = 0, two = 0, third = 0] = await createAccounts(service.db, 3)
      await service.db.transaction().execute(async (first) => {
        await writeRating(first, one, work, { rate: 5, rate_content: 'x', status: 'COMPLETED' })
        const inSecond = async (second: Database) => {
          for (const trx of [first, second]) await sql`set local lock_timeout = '1s'`.execute(trx)
          await writeRating(second, two, work, { rate: 7, rate_content: 'y', status: 'COMPLETED' })
          await writeRating(first, one, work, { rate: 6 })
          await writeRating(second, two, work, { rate: 8 })
          await asAnotherProcess(() => writeRating(service.db, third, work, { rate: 3 }))
          await asAnotherProcess(() => writeRating(service.db, third, other, { rate: 9 }))
          await eventuallyShows(work, { score: 3, total: 1 })
          await eventuallyShows(other, { score: 9, total: 1 })
          await writeRating(second, two, work, { rate: null })
          await writeRating(first, one, work, { rate: 5 })
        }
        await asAnotherProcess(() => otherProcess.db.transaction().execute(inSecond))
      })
      await eventuallyShows(work, { score: 4, total: 2 })
    })

  if (engine === 'server')
    it('is updated without deadlocks when users who voted on each other’s reviews are deleted or banned at once', async () => {
      const { db } = service
      const works = novels.slice(0, 6)
      for (let round = 0; round < 15; round += 1) {
        const [first = 0, second = 0] = await createAccounts(db, 2)
        for (const [author, voter] of [
          [first, second],
          [second, first],
        ] as const)
          for (const work of works) {
            const { id } = await writeRating(db, author, work, { rate: 5, rate_content: 'x' })
            await saveVote(db, voter, id, 'LIKE')
          }
        const leave = round % 3 === 0 ? banAccount(db, first, 'a test') : deleteAccount(db, first)
        await Promise.all([leave, deleteAccount(otherProcess.db, second)])
      }
    })

  if (engine === 'server')
    it('excludes ratings that a user writes during a concurrent ban', async () => {
      const { db } = service
      const work = newWork()
      const [user = 0] = await createAccounts(db, 1)
      const writing: Promise<unknown>[] = []
      await db.transaction().execute(async (trx) => {
        await banAccount(trx, user, 'a test')
        writing.push(asAnotherProcess(() => writeRating(otherProcess.db, user, work, { rate: 5 })))
        await waitForBlocked(trx, 1)
      })
      await Promise.all(writing)
      const { rows } = await sql`select hidden from ratings where account_id = ${user}`.execute(db)
      assert.deepEqual(rows, [{ hidden: true }])
    })

  if (engine === 'server')
    it('is updated without a deadlock when an account is deleted while its user deletes a rating', async () => {
      const { db } = service
      const [first, second] = [newWork(), newWork()]
      const [user = 0] = await createAccounts(db, 1)
      const { id } = await writeRating(db, user, first, { rate: 5 })
      await writeRating(db, user, second, { rate: 5 })
      const done: Promise<unknown>[] = []
      await db.transaction().execute(async (trx) => {
        // The deletion holds a lock on the account and waits for the account's first rating.
        await sql`select from ratings where id = ${id} for update`.execute(trx)
        done.push(asAnotherProcess(() => deleteAccount(otherProcess.db, user)))
        await waitForBlocked(trx, 1)
        const key = { accountId: user, kind: second.kind, workId: second.id }
        done.push(asAnotherProcess(() => deleteRating(db, key, 'a test')))
        await waitForBlocked(trx, 2)
      })
      await Promise.all(done)
      await waitForTotals(db)
      await assertExactCounts(db)
    })

  if (engine === 'server')
    it('is updated by one process at a time, so that revisions are committed in order', async () => {
      const work = newWork()
      const [user = 0] = await createAccounts(service.db, 1)
      await otherProcess.db.transaction().execute(async (trx) => {
        await holdLock(trx, 'ratingTotals')
        await asAnotherProcess(async () => {
          await writeRating(service.db, user, work, { rate: 9 })
          assert.equal(await applyRatingDeltas(service.db), false)
          const { rows } = await sql`select from rating_deltas where work_id = ${work.id}`.execute(
            service.db,
          )
          assert.equal(rows.length, 1)
        })
      })
      await eventuallyShows(work, { score: 9, total: 1 })
    })

  it('is exact after concurrent writes, bans, deletions and broken connections', async () => {
    const { db } = service
    const works = (await expectedRatings(db)).map(({ work }) => work).slice(0, 8)
    const users = await createAccounts(db, 12)
    const failures: string[] = []
    const random = seedRandom('concurrent writes')
    const done = { acts: 0, leavers: 0, killed: 0 }
    const handleFailure = (error: unknown) => {
      // Requests with a broken connection are retried. A deadlock fails the test.
      const { message } = error instanceof Error ? error : new Error(String(error))
      if (!/terminat|Connection|ECONNRESET/.test(message)) failures.push(message)
    }
    const isEnough = () =>
      done.acts >= 500 && done.leavers >= 20 && (engine === 'embedded' || done.killed >= 5)
    const deadline = Date.now() + 60_000
    /** Repeats random actions until the test has seen enough of each. */
    const repeat = async (change: (random: SeededRandom) => Promise<unknown>, pause = 0) => {
      const chance = random.fork()
      while (!isEnough() && Date.now() < deadline) {
        await change(chance).catch(handleFailure)
        await sleep(pause)
      }
    }
    await Promise.all([
      ...Array.from({ length: 16 }, (_, index) =>
        repeat((chance) =>
          changeAs(index % 2 ? db : otherProcess.db, users[index % users.length] ?? 0, chance),
        ),
      ),
      repeat(async (chance) => {
        const user = chance.pick(users)
        await banAccount(chance.pick([db, otherProcess.db]), user, 'a test')
        await sleep(5)
        await unbanAccount(db, user)
      }, 20),
      repeat(async (chance) => {
        const leavingUsers = [chance.pick(users), chance.pick(users)]
        for (const leavingUser of leavingUsers) users.splice(users.indexOf(leavingUser), 1)
        await Promise.all(
          leavingUsers.map((leavingUser, index) =>
            deleteAccount(index ? db : otherProcess.db, leavingUser),
          ),
        )
        users.push(...(await createAccounts(db, 2)))
        done.leavers += 2
      }, 100),
      ...(engine === 'server'
        ? [repeat(async () => (done.killed += await killConnections(db)), 5)]
        : []),
    ])
    assert.ok(isEnough(), JSON.stringify(done))
    const warnings = [service, otherProcess].flatMap(({ logged }) =>
      logged.map((line) => JSON.stringify(line)),
    )
    failures.push(...warnings.filter((line) => /deadlock|violates/.test(line)))
    assert.deepEqual(failures, [])

    await waitForTotals(db)
    await assertExactCounts(db)
    await assertExactHistories(db)
    const { rows } = await sql`
      select from review_votes vote
      where vote.hidden <> exists (select from accounts where id = vote.voter_id and banned_at is not null)
      union all
      select from ratings record
      where record.hidden <> exists (select from accounts where id = record.account_id and banned_at is not null)`.execute(
      db,
    )
    assert.equal(rows.length, 0, 'exactly the rows of banned users are hidden')
    const expected = await expectedRatings(db)
    for (const { work, rating } of expected)
      for (const process of [service, otherProcess]) {
        await eventuallyShows(work, rating, process)
        assert.deepEqual(await shown(work, process), rating)
      }
    assert.ok(expected.filter(({ rating }) => rating.total > 0).length > 3, 'some ratings remain')

    /** Runs a random action on a random work. */
    async function changeAs(on: typeof db, user: number, random: SeededRandom) {
      done.acts += 1
      const work = random.pick(works)
      const roll = random.next()
      if (roll < 0.1)
        return deleteRating(on, { accountId: user, kind: work.kind, workId: work.id }, 'a test')
      if (roll < 0.4) {
        const { rows } = await sql<{ id: number }>`
          select id from ratings where work_id = ${work.id} order by random() limit 1`.execute(on)
        return voteAs(on, user, rows[0]?.id ?? 0, random)
      }
      await writeRating(on, user, work, {
        status: random.pick(['GOING', 'COMPLETED', 'PLAN', null]),
        rate: random.pick([null, 1, 5.5, 7, 7.1, 10]),
        // Requests that change only status and score use a separate statement.
        ...(random.chance(0.5) && {
          status_private: random.chance(0.4),
          rate_content: random.pick(['', 'A quiet ending.']),
          ...(work.kind === 'light_novel' && { rate_plot: random.pick([null, 2.5, 9]) }),
        }),
      }).catch((error: unknown) => {
        // A deleted account has no ratings.
        if (!/resource does not exist/.test(String(error))) throw error
      })
    }
  })
})

const voteAs = async (
  on: TestService['db'],
  user: number,
  review: number,
  random: SeededRandom,
) => {
  if (random.chance(0.2)) return deleteVote(on, user, review)
  return saveVote(on, user, review, random.pick(['LIKE', 'DISLIKE']))
}

/**
 * Terminates the connections that are applying deltas.
 *
 * @returns the number of connections
 */
async function killConnections(db: TestService['db']): Promise<number> {
  const { rows } = await sql`
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and objid = ${ADVISORY_LOCKS.ratingTotals}
      and database = (select oid from pg_database where datname = current_database())`.execute(db)
  return rows.length
}

/** Settings of a second process that accepts the tokens of the first. */
async function secondProcess({ url }: TestService) {
  const port = String(await freePort())
  return { PORT: port, BASE_URL: `http://127.0.0.1:${port}`, AUTH_URL: url, API_URL: url }
}

const counts = (of: Record<number, number>) =>
  Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [String(index + 1), of[index + 1] ?? 0]),
  )
