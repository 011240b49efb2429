import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { sql } from 'kysely'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { numberAllChanges, FeedFollower, formatChange } from '#test/change-feed.ts'
import { seedRandom } from '#test/seeded-random.ts'
import {
  assertExactCounts,
  assertExactHistories,
  createAccounts,
  waitForTotals,
  workPathOf,
  writeRating,
  fetchRating,
  type Work,
} from '#test/ratings.ts'
import { startService, type TestService } from '#test/service.ts'
import { sourceRecords } from '#test/source-records.ts'
import { ownStatementsOf } from '#test/statements.ts'
import { putItem } from '../../collections/items/item-write-queries.ts'
import { hideSubject } from '../../moderation/hide-queries.ts'
import { deleteRating } from '../../ratings/own/queries.ts'
import { saveVote } from '../../ratings/reviews/vote-queries.ts'
import { mergeEntries, unmergeEntries } from './merge-entries.ts'

const { galgame, person, staff, sameAs } = sourceRecords

describeOnDatabase('merging two entries', (engine) => {
  let service: TestService
  let db: TestService['db']
  let token: string
  let works: Work[]
  let round = 0

  before(async () => {
    service = await startService({ engine, content: 'empty' })
    db = service.db
    token = await service.token('catalog:full')
  })
  after(() => service.close())

  const ids = () => [1, 2, 3].map((number) => `v${round}${number}`)
  const records = () => [
    ...ids().map((id) => galgame(id, { aliases: [`alias of ${id}`] }, staff(`s${id}`))),
    ...ids().map((id) => person(`s${id}`)),
  ]
  beforeEach(async () => {
    round += 1
    await importRecords(db, 'vndb', records())
    const { rows } = await sql<{ id: number }>`
      select entry_id as id from source_records
      where kind = 'galgame' and external_id = any(${ids()}::text[]) order by external_id`.execute(
      db,
    )
    works = rows.map(({ id }) => ({ id, kind: 'galgame' }))
  })

  /** All user data that a merge may move. */
  async function readersData() {
    const rows = async (text: string) => (await sql.raw(text).execute(db)).rows
    await waitForTotals(db)
    return {
      ratings: await rows(
        `select to_jsonb(r) - 'previous' as r from ratings r order by account_id, work_id`,
      ),
      votes: await rows(
        `select to_jsonb(v) - 'was_liked' as v from review_votes v order by account_id, work_id, voter_id`,
      ),
      history: await rows('select * from rating_changes order by account_id, id'),
      items: await rows(
        `select to_jsonb(i) - 'last_put' as i from collection_items i order by account_id, collection_id, work_id`,
      ),
      collections: await rows(
        'select account_id, id, item_count from collections order by account_id, id',
      ),
    }
  }
  const ratingsOf = async (account: number, { id }: Work) => {
    const { rows } = await sql<{ rate: number | null; rate_content: string; status: string }>`
      select rate, rate_content, status from ratings where account_id = ${account} and work_id = ${id}`.execute(
      db,
    )
    return rows[0]
  }
  const responseOf = async (work: Work) => {
    const response = await service.get(workPathOf(work), token)
    // as: a response envelope
    const { error, data } = (await response.json()) as {
      error?: { code: string; details?: { merged_into: number } }
      data?: { aliases: string[] }
    }
    return error ? [error.code, error.details?.merged_into] : data?.aliases
  }
  const collect = (accountId: number, work: Work, note: string) =>
    putItem(db, { accountId, key: 'default' }, work, note)
  const pairOf = (from: Work, into: Work) => ({ kind: from.kind, from: from.id, into: into.id })
  const threeWorks = () => {
    const [first, second, third] = works
    assert.ok(first && second && third)
    return [first, second, third] as const
  }

  it('removes the relation between the two entries, and restores it when undone', async () => {
    const [from, into] = threeWorks()
    const [fromId = '', intoId = ''] = ids()
    const relate = (ref: string) => ({ relations: [{ ref, relation: 'SEQUEL' as const }] })
    await importRecords(db, 'vndb', [
      galgame(fromId, {}, relate(intoId)),
      galgame(intoId, {}, relate(fromId)),
    ])
    const relations = async () => {
      const { rows } = await sql`
        select galgame_id from galgame_relations where galgame_id in (${from.id}, ${into.id})`.execute(
        db,
      )
      return rows.length
    }
    assert.equal(await relations(), 2)
    await mergeEntries(db, pairOf(from, into))
    assert.equal(await relations(), 0)
    await unmergeEntries(db, pairOf(from, into))
    assert.equal(await relations(), 2)
  })

  it('moves user data, keeps the better of two ratings, and can be undone', async () => {
    const [from, into] = threeWorks()
    const accounts = await createAccounts(db, 7)
    const [mover, reviewer, scorer, later, banned, voter, leaver] = accounts
    assert.ok(mover && reviewer && scorer && later && banned && voter && leaver)
    await writeRating(db, mover, from, { rate: 8.5, rate_content: 'A quiet ending.' })
    await writeRating(db, reviewer, into, { rate: 9 })
    await writeRating(db, reviewer, from, { rate: 4, rate_content: 'Long.' })
    await writeRating(db, scorer, into, { status: 'COMPLETED', rate: 7 })
    await writeRating(db, scorer, from, { status: 'PLAN' })
    await writeRating(db, later, into, { rate: 3, rate_content: 'old' })
    await writeRating(db, later, from, { rate: 6, rate_content: 'new' })
    await writeRating(db, leaver, from, { rate: 1 })
    await deleteRating(db, { accountId: leaver, kind: 'galgame', workId: from.id }, 'a test')
    const { rows: reviews } = await sql<{ id: number }>`
      select id from ratings where rate_content <> '' and work_id in (${from.id}, ${into.id})`.execute(
      db,
    )
    for (const { id } of reviews) await saveVote(db, voter, id, 'LIKE')
    await collect(mover, from, 'mine')
    await collect(reviewer, from, 'of from')
    await collect(reviewer, into, '')
    await waitForTotals(db)
    await assertExactCounts(db)
    const before = await readersData()
    const follower = new FeedFollower(await service.token('catalog:sync'))
    await numberAllChanges(db)
    await follower.read(service.url)

    assert.equal((await mergeEntries(db, pairOf(from, into))).done, true)
    await waitForTotals(db)
    await assertExactCounts(db)
    assert.deepEqual(await ratingsOf(mover, into), {
      rate: 8.5,
      rate_content: 'A quiet ending.',
      status: 'GOING',
    })
    assert.deepEqual(await ratingsOf(reviewer, into), {
      rate: 4,
      rate_content: 'Long.',
      status: 'GOING',
    })
    assert.deepEqual(await ratingsOf(scorer, into), {
      rate: 7,
      rate_content: '',
      status: 'COMPLETED',
    })
    assert.deepEqual(await ratingsOf(later, into), {
      rate: 6,
      rate_content: 'new',
      status: 'GOING',
    })
    const { rows: history } = await sql<{ fields: object }>`
      select fields from rating_changes where account_id = ${reviewer} order by id desc limit 1`.execute(
      db,
    )
    assert.deepEqual(history[0]?.fields, {
      rate: { from: 9, to: 4 },
      rate_content: { from: '', to: 'Long.' },
    })
    const { rows: items } = await sql<{ account_id: number; note: string }>`
      select account_id, note from collection_items where work_id = ${into.id} order by account_id`.execute(
      db,
    )
    assert.deepEqual(items, [
      { account_id: mover, note: 'mine' },
      { account_id: reviewer, note: 'of from' },
    ])
    assert.deepEqual(await responseOf(from), ['WIKI_RESOURCE_MERGED', into.id])
    assert.deepEqual((await fetchRating(service, token, into)).total, 4)
    await numberAllChanges(db)
    const changes = (await follower.read(service.url)).map((item) => formatChange(item))
    assert.ok(changes.includes(`MERGE galgame ${from.id} into ${into.id}`), changes.join('\n'))
    assert.ok(changes.includes(`UPSERT galgame ${into.id}`), changes.join('\n'))
    const { rows: listed } = await sql`
      select from listings where kind = 'galgame' and id = ${from.id}
      union all select from search_entries where id = ${from.id} and names like ${`%^v${round}1$%`}`.execute(
      db,
    )
    assert.equal(listed.length, 0)

    await importRecords(db, 'vndb', records())
    assert.deepEqual(await responseOf(from), ['WIKI_RESOURCE_MERGED', into.id])
    assert.equal((await mergeEntries(db, pairOf(from, into))).done, false)

    assert.equal((await unmergeEntries(db, pairOf(from, into))).done, true)
    assert.deepEqual(await readersData(), before)
    await assertExactCounts(db)
    await assertExactHistories(db)
    assert.deepEqual(await responseOf(from), [`alias of v${round}1`])
    await numberAllChanges(db)
    const back = (await follower.read(service.url)).map((item) => formatChange(item))
    assert.ok(back.includes(`UPSERT galgame ${from.id}`), back.join('\n'))
    assert.equal((await unmergeEntries(db, pairOf(from, into))).done, false)
    await importRecords(db, 'vndb', records())
    assert.deepEqual(await responseOf(from), [`alias of v${round}1`])
  })

  it('counts only visible reviews, and keeps hidden ones hidden when undone', async () => {
    const [from, into] = threeWorks()
    const users = await createAccounts(db, 4)
    const [first = 0, second = 0, third = 0, fourth = 0] = users
    const review = (account: number, work: Work, rate: number) =>
      writeRating(db, account, work, { rate, rate_content: `Rated ${rate}.` })
    const hide = async (account: number, work: Work) => {
      const { rows } = await sql<{ id: number }>`
        select id from ratings where account_id = ${account} and work_id = ${work.id}`.execute(db)
      const subject = String(rows[0]?.id)
      const { takedown } = await hideSubject(
        db,
        { kind: 'REVIEW', subject, owner_id: account, place: '/' },
        { reason: 'SPAM', note: 'N' },
        {},
      )
      assert.ok(takedown)
    }
    // The newer of two reviews stays.
    for (const account of [first, second]) {
      await review(account, into, 2)
      await review(account, from, 8)
    }
    for (const account of [third, fourth]) {
      await review(account, from, 4)
      await review(account, into, 9)
    }
    await hide(first, into)
    await hide(second, from)
    await hide(third, into)
    await hide(fourth, from)
    await waitForTotals(db)
    await assertExactCounts(db)
    const listed = async () =>
      (
        await sql`
          select account_id, work_id, rate, hidden from ratings
          where account_id = any(${users}) order by 1, 2`.execute(db)
      ).rows
    const before = await listed()
    await mergeEntries(db, pairOf(from, into))
    await waitForTotals(db)
    await assertExactCounts(db)
    assert.deepEqual(await listed(), [
      { account_id: first, work_id: into.id, rate: 8, hidden: false },
      { account_id: second, work_id: into.id, rate: 8, hidden: true },
      { account_id: third, work_id: into.id, rate: 9, hidden: true },
      { account_id: fourth, work_id: into.id, rate: 9, hidden: false },
    ])
    await unmergeEntries(db, pairOf(from, into))
    await waitForTotals(db)
    await assertExactCounts(db)
    assert.deepEqual(await listed(), before)
  })

  it('keeps newer user data when undone, and does not restore data that users have deleted', async () => {
    const [from, into] = threeWorks()
    const [writer, deleter] = await createAccounts(db, 2)
    assert.ok(writer && deleter)
    for (const account of [writer, deleter]) await writeRating(db, account, from, { rate: 5 })
    await collect(writer, from, 'old')
    await mergeEntries(db, pairOf(from, into))
    await writeRating(db, writer, into, { rate: 9 })
    await deleteRating(db, { accountId: deleter, kind: 'galgame', workId: into.id }, 'a test')
    await collect(writer, into, 'new')
    await unmergeEntries(db, pairOf(from, into))
    assert.equal((await ratingsOf(writer, into))?.rate, 9)
    assert.equal((await ratingsOf(writer, from))?.rate, 5)
    assert.equal(await ratingsOf(deleter, into), undefined)
    assert.equal(await ratingsOf(deleter, from), undefined)
    const { rows } = await sql<{ note: string }>`
      select item.note from collection_items item where account_id = ${writer} order by note`.execute(
      db,
    )
    assert.deepEqual(
      rows.map(({ note }) => note),
      ['new', 'old'],
    )
    await waitForTotals(db)
    await assertExactCounts(db)
  })

  it('does not run ANALYZE on the large tables', async () => {
    const [from, into] = threeWorks()
    const sent = await ownStatementsOf(() => mergeEntries(db, pairOf(from, into)))
    assert.ok(sent.length > 10)
    assert.deepEqual(
      sent
        .map((item) => item.sql)
        .filter((text) => /\banalyze\b.*\b(source_records|galgames|works)\b/is.test(text)),
      [],
    )
  })

  it('redirects a chain of merges to its last entry, and can be undone only in reverse order', async () => {
    const [first, second, third] = threeWorks()
    await mergeEntries(db, pairOf(first, second))
    await mergeEntries(db, pairOf(second, third))
    assert.deepEqual(await responseOf(first), ['WIKI_RESOURCE_MERGED', third.id])
    await assert.rejects(
      unmergeEntries(db, pairOf(first, second)),
      /has since been merged into \d+\. Unmerge that first/,
    )
    await unmergeEntries(db, pairOf(second, third))
    assert.deepEqual(await responseOf(first), ['WIKI_RESOURCE_MERGED', second.id])
    await unmergeEntries(db, pairOf(first, second))
    assert.deepEqual(await responseOf(first), [`alias of v${round}1`])
  })

  it('is rejected with a reason if the entries cannot be merged', async () => {
    const [first, second, third] = threeWorks()
    const refused = (
      from: number,
      into: number,
      reason: RegExp,
      kind: 'galgame' | 'manga' = 'galgame',
    ) => assert.rejects(mergeEntries(db, { kind, from, into }), reason)
    await refused(first.id, first.id, /cannot be merged into itself/)
    await refused(999_999, first.id, /galgame 999999 does not exist\./)
    await refused(
      first.id,
      second.id,
      /manga \d+ does not exist: \d+ is of the kind galgame\./,
      'manga',
    )
    await mergeEntries(db, pairOf(first, second))
    await refused(first.id, third.id, /was already merged into \d+/)
    await refused(third.id, first.id, /was merged into \d+\. Merge into/)
    await refused(second.id, first.id, /Unmerge it first/)
    await assert.rejects(unmergeEntries(db, pairOf(second, third)), /was not merged into/)
  })

  it('moves a person’s credits to the remaining person, and back when undone', async () => {
    const { rows } = await sql<{ id: number }>`
      select entry_id as id from source_records
      where kind = 'person' and external_id like ${`sv${round}_`} order by external_id`.execute(db)
    const [first, second] = rows.map(({ id }) => id)
    assert.ok(first && second)
    const [work] = threeWorks()
    const creditsOf = async () => {
      const { rows: credits } = await sql<{ person_id: number }>`
        select person_id from galgame_staff where galgame_id = ${work.id}`.execute(db)
      return credits.map(({ person_id }) => person_id)
    }
    await mergeEntries(db, { kind: 'person', from: first, into: second })
    assert.deepEqual(await creditsOf(), [second])
    await unmergeEntries(db, { kind: 'person', from: first, into: second })
    assert.deepEqual(await creditsOf(), [first])
  })

  it('is not repeated by later imports once it has been undone', async () => {
    const [work] = threeWorks()
    const other = `b${round}`
    await importRecords(db, 'bangumi', [galgame(other)])
    const { remarks } = await importRecords(db, 'vndb', [
      ...records().slice(1),
      galgame(`v${round}1`, {}, {}, sameAs('bangumi', other)),
    ])
    assert.partialDeepStrictEqual(remarks[0], { code: 'match.merged' })
    const { rows } = await sql<{ from_id: number; into_id: number }>`
      select from_id, into_id from entry_merges where undone_at is null order by id desc limit 1`.execute(
      db,
    )
    const [merge] = rows
    assert.equal(merge?.into_id, work.id)
    await unmergeEntries(db, { kind: 'galgame', from: merge?.from_id ?? 0, into: work.id })
    await importRecords(db, 'bangumi', [galgame(other, { homepage: 'https://a' })])
    const { rows: separated } = await sql`
      select from galgames where id in (${merge?.from_id ?? 0}, ${work.id})`.execute(db)
    assert.equal(separated.length, 2)
  })

  it('neither loses nor duplicates data that users write concurrently', async (t) => {
    const [from, into] = threeWorks()
    const accounts = await createAccounts(db, 6)
    const random = seedRandom(t.name)
    const acknowledged: { account: number; minutes: number }[] = []
    let minutes = 0
    const over = new AbortController()
    const write = async (account: number) => {
      while (!over.signal.aborted) {
        minutes += 1
        const mine = minutes
        try {
          await writeRating(db, account, random.chance(0.5) ? from : into, {
            time_to_finish_minutes: mine,
            rate: 1 + (mine % 10),
            ...(random.chance(0.3) && { rate_content: `review ${mine}` }),
          })
          acknowledged.push({ account, minutes: mine })
          await collect(account, random.chance(0.5) ? from : into, `note ${mine}`)
        } catch (error) {
          // The second unmerge must not happen between the first one's rejection and the query for its reason.
          assert.match(String(error), /was merged into|resource does not exist/)
        }
      }
    }
    const writers = accounts.map(write)
    try {
      for (let turn = 0; turn < 4 || acknowledged.length <= 20; turn += 1) {
        await mergeEntries(db, pairOf(from, into))
        await unmergeEntries(db, pairOf(from, into))
      }
      await mergeEntries(db, pairOf(from, into))
    } finally {
      over.abort()
      await Promise.all(writers)
    }
    await waitForTotals(db)
    await assertExactCounts(db)
    const { rows } = await sql<{ account: number; minutes: number }>`
      select account_id as account, (fields -> 'time_to_finish_minutes' ->> 'to')::integer as minutes
      from rating_changes where client_id = 'a test' and work_id = ${into.id}`.execute(db)
    const written = new Set(rows.map((row) => `${row.account} ${row.minutes}`))
    assert.deepEqual(
      acknowledged.filter((item) => !written.has(`${item.account} ${item.minutes}`)),
      [],
    )
    const { rows: counted } = await sql`
      select from collections
      where item_count <> (
        select count(*) from collection_items item
        where item.account_id = collections.account_id and item.collection_id = collections.id
      )`.execute(db)
    assert.equal(counted.length, 0)
  })
})
