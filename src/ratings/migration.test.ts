import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { onEachDatabase } from '#test/databases.ts'
import { openTestDatabase } from '#test/open.ts'
import { assertExactCounts, record } from '#test/ratings.ts'
import { unbanAccount } from '../accounts/ban-queries.ts'
import { deleteAccount } from '../accounts/deletion-queries.ts'
import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { followLikes } from '../similar/follow-queries.ts'
import { findVote, saveVote } from './reviews/vote-queries.ts'
import { applyRatingDeltas, applyVoteDeltas } from './totals/queries.ts'

/** What triggers made of it is in all tables, some of it applied and some pending; account 5 is banned. */
const DATA = `
  insert into works (id, kind) select n, 'galgame' from generate_series(1, 4) n;
  insert into galgames (id, origin_title) select id, 'W' from works;
  insert into accounts (email, name, password_hash)
  select n || '@example.org', 'Reader', 'x' from generate_series(1, 6) n;
  insert into ratings (account_id, work_id, kind, rate, status, rate_content)
  select account.id, work.id, 'galgame', 5 + (account.id + work.id) % 5, 'COMPLETED', case work.id when 1 then 'Quiet.' else '' end
  from accounts account cross join works work;
  insert into review_votes (account_id, rating_id, author_id, liked)
  select voter.id, rating.id, rating.account_id, (voter.id + rating.account_id) % 2 = 0
  from accounts voter join ratings rating on rating.work_id = 1 and rating.account_id <> voter.id;
  -- As the one who follows likes did: of these the deltas are pending all the same.
  insert into work_likes (work_id, likes)
  select work_id, count(*) from like_notes where account_id < 5 group by work_id;
  delete from like_notes where account_id < 5;
  update accounts set banned_at = now() where id = 5;
  update ratings set rate = 9.5, status_private = account_id = 2 where work_id = 2;
  delete from ratings where account_id = 4 and work_id in (1, 3);
  insert into collections (account_id, name) select id, 'Mine' from accounts;
  insert into collection_items (account_id, collection_id, work_id, note)
  select collection.account_id, collection.id, work.id, 'N' from collections collection cross join works work`

const OLD_COLUMNS = [
  'id, account_id, work_id, kind, status, status_private, rate, rate_content, is_spoiler, hidden',
  'created_at, updated_at',
].join(', ')

/** Everything readers have, in the names of before; `voter`, `author`: the columns of a vote. */
async function readAll(db: Database, voter: string, author: string) {
  const rows = async (text: string) => (await sql.raw(text).execute(db)).rows
  return {
    ratings: await rows(`select ${OLD_COLUMNS} from ratings order by id`),
    history: await rows('select * from rating_changes order by id'),
    votes: await rows(`
      select ${voter} as voter, rating_id, ${author} as author, liked, hidden, created_at, updated_at
      from review_votes order by 1, 2`),
    collections: await rows('select * from collections order by id'),
    items: await rows(
      'select account_id, collection_id, work_id, note, added_at, updated_at from collection_items order by 1, 2, 3',
    ),
  }
}

const likesOff = (db: Database) =>
  sql`
    select work_id, likes, fresh.count
    from work_likes
    full join (
      select work_id, count(*) from ratings where rate >= 7 and not status_private and not hidden group by work_id
    ) fresh using (work_id)
    where likes is distinct from fresh.count`.execute(db)

onEachDatabase('the migration that takes the triggers away', (engine) => {
  it('loses nothing readers have, and totals and likes follow what was pending', async () => {
    const all = fileURLToPath(new URL('../../migrations/', import.meta.url))
    const earlier = await mkdtemp(join(tmpdir(), 'mokuroku-migrations-'))
    const { db, remove } = await openTestDatabase(engine, 'nothing')
    try {
      for (const file of await readdir(all))
        if (file < '0020') await copyFile(join(all, file), join(earlier, file))
      await migrate(db, pathToFileURL(`${earlier}/`))
      for (const statement of DATA.split(';\n')) await sql.raw(statement).execute(db)
      const before = await readAll(db, 'account_id', 'author_id')
      assert.ok(before.ratings.length === 22 && before.votes.length === 25 && before.items.length === 48)

      await migrate(db)
      assert.deepEqual(await readAll(db, 'voter_id', 'account_id'), before)
      const applied = async () => {
        while (await applyRatingDeltas(db));
        while (await applyVoteDeltas(db));
        await db.transaction().execute(async (trx) => {
          while (await followLikes(trx));
        })
        await assertExactCounts(db)
        assert.deepEqual((await likesOff(db)).rows, [])
      }
      await applied()

      const work = { id: 1, kind: 'galgame' } as const
      const { id: review } = await record(db, 1, work, { rate: 2 })
      const { rows: history } = await sql`
        select action, client_id, fields from rating_changes where account_id = 1 order by id desc limit 1`.execute(
        db,
      )
      assert.deepEqual(history, [
        { action: 'CHANGED', client_id: 'a test', fields: { rate: { from: 7, to: 2 } } },
      ])
      assert.deepEqual(await findVote(db, 2, review), { ...voteBefore(2, review), vote: 'DISLIKE' })
      await saveVote(db, 2, review, 'LIKE')
      await unbanAccount(db, 5)
      await deleteAccount(db, 3)
      await applied()

      function voteBefore(voter: number, rating_id: number) {
        // as: the columns that are read of votes
        const votes = before.votes as {
          voter: number
          rating_id: number
          created_at: Date
          updated_at: Date
        }[]
        const found = votes.find((vote) => vote.voter === voter && vote.rating_id === rating_id)
        assert.ok(found)
        const { created_at, updated_at } = found
        return { rating_id, created_at, updated_at }
      }
    } finally {
      await remove()
      await rm(earlier, { recursive: true })
    }
  })
})
