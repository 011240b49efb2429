import { sql } from 'kysely'
import { createDefaultCollection } from '../accounts/user-data-queries.ts'
import { isCheckViolation } from '../db/constraint-errors.ts'
import type { Database } from '../db/database.ts'
import type { TableRow } from '../db/tables.ts'
import { invalidToken } from '../http/wire/errors/refusals.ts'
import { offsetAndLimit, type Page } from '../http/wire/requests/paging.ts'
import {
  collectionIsFull,
  noSuchCollection,
  tooManyCollections,
} from '../http/wire/errors/feature-refusals.ts'
import { MAX_COLLECTIONS, MAX_ITEMS, type CollectionChange, type NewCollection } from './schemas.ts'
import type { CollectionKey, OwnCollectionKey } from './path-params.ts'

const COLUMNS = [
  'id',
  'account_id as owner_id',
  'name',
  sql<string | null>`nullif(description, '')`.as('description'),
  'is_private',
  'is_default',
  'item_count',
  'created_at',
  'updated_at',
] as const

export type CollectionRow = Pick<
  TableRow<'collections'>,
  'id' | 'name' | 'is_private' | 'is_default' | 'item_count' | 'created_at' | 'updated_at'
> & { owner_id: number; description: string | null }

/** Creates a missing default collection and retries. Accounts that the service did not create itself lack one. */
export async function withDefaultCollection<Found>(
  db: Database,
  { accountId, key }: OwnCollectionKey,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const found = await find()
  if (found !== undefined || key !== 'default') return found
  await createDefaultCollection(db, accountId)
  return find()
}

/**
 * Lists all or one page of a user's collections, the default collection first, then the others from oldest to newest.
 */
export async function listCollections(
  db: Database,
  accountId: number,
  page: Page | undefined,
): Promise<{ collections: CollectionRow[]; total: number }> {
  const { offset, limit } = offsetAndLimit(page)
  const ownCollections = db.selectFrom('collections').where('account_id', '=', accountId)
  const found = await withDefaultCollection(db, { accountId, key: 'default' }, async () => {
    const [collections, { total }] = await Promise.all([
      ownCollections
        .select(COLUMNS)
        .orderBy('is_default', 'desc')
        .orderBy('created_at')
        .orderBy('id')
        .offset(offset)
        .limit(limit)
        .execute(),
      ownCollections
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow(),
    ])
    return total > 0 ? { collections, total } : undefined
  })
  return found ?? { collections: [], total: 0 }
}

export function findCollection(
  db: Database,
  accountId: number,
  key: CollectionKey,
): Promise<CollectionRow | undefined> {
  const [column, value] = conditionOf(key)
  return withDefaultCollection(db, { accountId, key }, () =>
    db
      .selectFrom('collections')
      .select(COLUMNS)
      .where('account_id', '=', accountId)
      .where(column, '=', value)
      .executeTakeFirst(),
  )
}

/** @throws {ApiError} `COMMON_NOT_FOUND` if the user has no such collection */
export async function requireCollection(
  db: Database,
  accountId: number,
  key: CollectionKey,
): Promise<CollectionRow> {
  const found = await findCollection(db, accountId, key)
  if (!found) throw noSuchCollection()
  return found
}

/** Locks a user's collection until the transaction ends. @throws {ApiError} `COMMON_NOT_FOUND` */
export const lockCollection = (
  trx: Database,
  accountId: number,
  id: number,
): Promise<CollectionRow> =>
  trx
    .selectFrom('collections')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(noSuchCollection)

/**
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if the user has the maximum number of collections;
 * `AUTH_TOKEN_INVALID` if the account has been deleted
 */
export function createCollection(db: Database, accountId: number, collection: NewCollection) {
  return db.transaction().execute(async (trx) => {
    await requireRoomForCollection(trx, accountId)
    return trx
      .insertInto('collections')
      .values({ account_id: accountId, ...toRow(collection), name: collection.name })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow()
  })
}

/**
 * Locks the account and checks that it may have one more collection.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if the user has the maximum number of collections;
 * `AUTH_TOKEN_INVALID` if the account has been deleted
 */
export async function requireRoomForCollection(trx: Database, accountId: number): Promise<void> {
  // The lock prevents two concurrent requests from both creating the last allowed collection.
  await trx
    .selectFrom('account_refs')
    .select('id')
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    // The account was deleted after the token was verified.
    .executeTakeFirstOrThrow(() => invalidToken())
  // The default collection counts toward the limit.
  await createDefaultCollection(trx, accountId)
  const { count } = await trx
    .selectFrom('collections')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  if (count >= MAX_COLLECTIONS) throw tooManyCollections(MAX_COLLECTIONS)
}

/**
 * Changes the given fields of a collection. `updated_at` stays the same if no value differs.
 *
 * @throws {ApiError} `COMMON_NOT_FOUND`
 */
export async function updateCollection(
  db: Database,
  accountId: number,
  key: CollectionKey,
  change: CollectionChange,
): Promise<CollectionRow> {
  if (Object.keys(change).length === 0) return requireCollection(db, accountId, key)
  const row = toRow(change)
  const [column, value] = conditionOf(key)
  const update = () =>
    db
      .updateTable('collections')
      .set({ ...row, updated_at: sql<Date>`now()` })
      .where('account_id', '=', accountId)
      .where(column, '=', value)
      .where(sql<boolean>`(${isChangedBy(row)})`)
      .returning(COLUMNS)
      .executeTakeFirst()
  const updated = await update()
  if (updated) return updated
  // No value differs, or the default collection did not exist.
  const found = await requireCollection(db, accountId, key)
  return (await update()) ?? found
}

/** Replaces a null description with '', which the database stores. */
const toRow = ({ description, ...row }: CollectionChange) => ({
  ...row,
  ...(description !== undefined && { description: description ?? '' }),
})

const isChangedBy = (change: ReturnType<typeof toRow>) =>
  sql.join(
    Object.entries(change).map(
      ([column, value]) => sql`${sql.ref(column)} is distinct from ${value}`,
    ),
    sql` or `,
  )

const conditionOf = (key: CollectionKey) =>
  key === 'default' ? (['is_default', true] as const) : (['id', key] as const)

/** Rethrows a database error. @throws {ApiError} `COMMON_VALIDATION_FAILED` if the collection is full */
export function reportFullCollection(error: unknown): never {
  throw isCheckViolation(error, 'collections_item_count_check')
    ? collectionIsFull(MAX_ITEMS)
    : error
}
