import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { importRecords } from '#test/catalog.ts'
import { seedRandom } from '#test/seeded-random.ts'
import { assertExactCounts, createAccounts, waitForTotals, writeRating } from '#test/ratings.ts'
import { startService, type TestService } from '#test/service.ts'
import { sourceRecords } from '#test/source-records.ts'
import { banAccount, unbanAccount } from '../../accounts/ban-queries.ts'
import { deleteAccount } from '../../accounts/deletion-queries.ts'
import { deleteItem, putItem } from '../../collections/items/item-write-queries.ts'
import { saveFavorites } from '../../profiles/favorite-queries.ts'
import { deleteRating } from '../../ratings/own/queries.ts'
import { changeProgress } from '../../ratings/progress/queries.ts'
import { saveVote } from '../../ratings/reviews/vote-queries.ts'
import { mergeEntries, unmergeEntries } from './merge-entries.ts'

const { galgame } = sourceRecords

/** Number of times that the works are merged and separated. */
const MERGES = 6

// The embedded database runs one transaction at a time.
describe('merging two works', () => {
  let service: TestService
  before(async () => {
    service = await startService({ engine: 'server', content: 'empty' })
  })
  after(() => service.close())

  it('causes no deadlock with ratings, votes, collections, progress, bans and deletions', async (t) => {
    const { db } = service
    await importRecords(db, 'vndb', [galgame('v1'), galgame('v2')])
    const { rows } = await sql<{ id: number }>`select id from works order by id`.execute(db)
    const [from = 0, into = 0] = rows.map(({ id }) => id)
    const random = seedRandom(t.name)
    const accounts = await createAccounts(db, 5)
    const over = new AbortController()
    const failures: unknown[] = []
    let minutes = 0

    const either = () => (random.chance(0.5) ? from : into)
    const rate = (account: number) =>
      writeRating(db, account, { id: either(), kind: 'galgame' }, { rate: 8, rate_content: 'R' })
    const vote = async (account: number) => {
      const { rows: reviews } = await sql<{ id: number }>`
        select id from ratings where account_id <> ${account} order by id`.execute(db)
      for (const { id } of reviews)
        await saveVote(db, account, id, random.chance(0.5) ? 'LIKE' : 'DISLIKE')
    }
    const workOf = (id: number) => ({ kind: 'galgame', id }) as const
    const writes: ((account: number) => Promise<unknown>)[] = [
      rate,
      rate,
      vote,
      (accountId) => deleteRating(db, { accountId, kind: 'galgame', workId: either() }, null),
      (accountId) => putItem(db, { accountId, key: 'default' }, workOf(either()), 'N'),
      (accountId) => deleteItem(db, { accountId, key: 'default' }, workOf(either())),
      (accountId) => saveFavorites(db, accountId, [from, into]),
      (accountId) =>
        changeProgress(db, { accountId, kind: 'galgame', workId: either() }, null, () => ({
          minutes: (minutes += 1),
        })),
    ]
    const repeat = async (step: () => Promise<unknown>) => {
      while (!over.signal.aborted)
        try {
          await step()
        } catch (error) {
          // A merged work does not exist.
          if (!/was merged into|does not exist/.test(String(error))) failures.push(error)
        }
    }
    const banned = accounts[0] ?? 0
    const loops = [
      ...accounts.map((account) => repeat(() => random.pick(writes)(account))),
      repeat(async () => {
        await banAccount(db, banned, 'Spam')
        await unbanAccount(db, banned)
      }),
      repeat(async () => {
        const [leaving = 0] = await createAccounts(db, 1)
        await rate(leaving).catch(() => undefined)
        await vote(leaving)
        await deleteAccount(db, leaving)
      }),
    ]
    const pair = { kind: 'galgame', from, into } as const
    try {
      for (let turn = 0; turn < MERGES; turn += 1) {
        await mergeEntries(db, pair)
        await unmergeEntries(db, pair)
      }
    } finally {
      over.abort()
      await Promise.all(loops)
    }
    assert.deepEqual(failures, [])
    await waitForTotals(db)
    await assertExactCounts(db)
    const { rows: counted } = await sql`
      select from collections
      where item_count <> (
        select count(*) from collection_items item
        where item.account_id = collections.account_id and item.collection_id = collections.id
      )`.execute(db)
    assert.equal(counted.length, 0)
  })
})
