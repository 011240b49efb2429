import { sql } from 'kysely'
import { holdLock } from '../../db/advisory-locks.ts'
import type { Database } from '../../db/database.ts'
import { queryRows } from '../../db/query.ts'
import { statement, statementOf } from '../../db/statement.ts'

/** Accounts, in order of id, with user data that a merge moves or an undone merge moves back. */
export type AffectedAccounts = {
  ratings: number[]
  progress: number[]
  favorites: number[]
  items: number[]
}

type UserData = { accounts: AffectedAccounts; voters: number[]; collections: Collection[] }
type Collection = { accountId: number; id: number }

const accountsIn = (table: string, column: 'work_id' | 'merge_id') =>
  statementOf<{ id: number }>(
    `merging.accounts_in_${table}`,
    `select distinct account_id as id from ${table} where ${column} = $1`,
  )
const collectionsIn = (table: string, column: 'work_id' | 'merge_id') =>
  statementOf<Collection>(
    `merging.collections_in_${table}`,
    `select distinct account_id as "accountId", collection_id as id from ${table} where ${column} = $1`,
  )

const OF_WORK = {
  ratings: ['ratings', 'rating_changes', 'rating_deltas'].map((name) =>
    accountsIn(name, 'work_id'),
  ),
  progress: [accountsIn('progress', 'work_id')],
  favorites: [accountsIn('favorites', 'work_id')],
  collections: collectionsIn('collection_items', 'work_id'),
}
const OF_MERGE = {
  ratings: [accountsIn('merged_ratings', 'merge_id')],
  progress: [accountsIn('merged_progress', 'merge_id')],
  favorites: [accountsIn('merged_favorites', 'merge_id')],
  collections: collectionsIn('merged_items', 'merge_id'),
}

const VOTERS = statement('merging.voters').returning<{ id: number }>(
  'select distinct voter_id as id from review_votes where work_id = any($1::bigint[])',
)
const MERGED_VOTERS = statement('merging.merged_voters').returning<{ id: number }>(
  'select distinct voter_id as id from merged_votes where merge_id = $1',
)

const ascending = (ids: Iterable<number>) => [...new Set(ids)].toSorted((one, other) => one - other)

/** Each statement reads one table, because user data may be on several machines (decision 0039). */
async function listUserData(
  trx: Database,
  lists: typeof OF_WORK,
  id: number,
): Promise<Omit<UserData, 'voters'>> {
  const accountsOf = async (statements: (typeof OF_WORK)['ratings']) => {
    const ids: number[] = []
    for (const list of statements)
      ids.push(...(await queryRows(trx, list, [id])).map((row) => row.id))
    return ascending(ids)
  }
  const collections = await queryRows(trx, lists.collections, [id])
  return {
    accounts: {
      ratings: await accountsOf(lists.ratings),
      progress: await accountsOf(lists.progress),
      favorites: await accountsOf(lists.favorites),
      items: ascending(collections.map(({ accountId }) => accountId)),
    },
    collections,
  }
}

const LOCK_ACCOUNTS = statement('merging.lock_accounts').sql(
  'select from account_refs where id = any($1::bigint[]) order by id for no key update',
)
const LOCK_COLLECTIONS = statement('merging.lock_collections').sql(
  'select from collections where account_id = $1 and id = any($2::bigint[]) order by id for no key update',
)

/** Rows that a merge has locked. */
class LockedRows {
  #trx: Database
  #accounts = new Set<number>()
  #collections = new Set<string>()

  constructor(trx: Database) {
    this.#trx = trx
  }

  #missing({ accounts, voters, collections }: UserData) {
    return {
      accounts: ascending([...Object.values(accounts).flat(), ...voters]).filter(
        (id) => !this.#accounts.has(id),
      ),
      collections: collections.filter((item) => !this.#collections.has(keyOf(item))),
    }
  }

  includes(found: UserData): boolean {
    const { accounts, collections } = this.#missing(found)
    return accounts.length === 0 && collections.length === 0
  }

  /** Locks the accounts, which blocks their bans, deletions and new ratings, and then their collections. */
  async add(found: UserData): Promise<void> {
    const { accounts, collections } = this.#missing(found)
    if (accounts.length > 0) await queryRows(this.#trx, LOCK_ACCOUNTS, [accounts])
    const byAccount = Map.groupBy(collections, ({ accountId }) => accountId)
    for (const accountId of ascending(byAccount.keys())) {
      const ids = (byAccount.get(accountId) ?? []).map(({ id }) => id)
      await queryRows(this.#trx, LOCK_COLLECTIONS, [accountId, ids])
    }
    for (const id of accounts) this.#accounts.add(id)
    for (const item of collections) this.#collections.add(keyOf(item))
  }
}

const keyOf = ({ accountId, id }: Collection) => `${accountId} ${id}`

const votersOf = async (trx: Database, workIds: number[]) =>
  (await queryRows(trx, VOTERS, [workIds])).map(({ id }) => id)

/**
 * Locks a work that is merged into another, and the accounts and collections with user data of it, until the
 * transaction ends. No user can then add data of the work.
 *
 * A user's write locks the account or the collection before the work, so the merge does too. It reads the user data
 * again under the lock on the work. If a user has added data since, it releases that lock and locks the rest first.
 * The lock for applying deltas comes first, because it covers rows of works.
 */
export async function lockUserData(
  trx: Database,
  { from, into }: { from: number; into: number },
): Promise<AffectedAccounts> {
  await holdLock(trx, 'ratingTotals')
  const locked = new LockedRows(trx)
  const list = async (): Promise<UserData> => ({
    ...(await listUserData(trx, OF_WORK, from)),
    voters: await votersOf(trx, [from, into]),
  })
  for (;;) {
    await locked.add(await list())
    await sql`savepoint unlocked_work`.execute(trx)
    await lockWorks(trx, [from])
    const found = await list()
    if (locked.includes(found)) return found.accounts
    await sql`rollback to savepoint unlocked_work`.execute(trx)
    await sql`release savepoint unlocked_work`.execute(trx)
  }
}

/** Locks the accounts and collections with user data that an undone merge moves back. */
export async function lockMergedUserData(
  trx: Database,
  { id, into }: { id: number; into: number },
): Promise<AffectedAccounts> {
  await holdLock(trx, 'ratingTotals')
  const merged = (await queryRows(trx, MERGED_VOTERS, [id])).map((row) => row.id)
  const found = {
    ...(await listUserData(trx, OF_MERGE, id)),
    voters: [...merged, ...(await votersOf(trx, [into]))],
  }
  await new LockedRows(trx).add(found)
  return found.accounts
}

/** Locks works. Users who rate or collect one of them wait for the lock on its row in `work_refs`. */
export async function lockWorks(trx: Database, workIds: number[]): Promise<void> {
  for (const table of ['works', 'work_refs'])
    await sql`
      select from ${sql.table(table)} where id = any(${workIds}::bigint[]) order by id for update`.execute(
      trx,
    )
}
