import { sql } from 'kysely'
import { createDefaultCollection } from '../accounts/user-data-queries.ts'
import type { Database } from '../db/database.ts'
import type { TableRow } from '../db/tables.ts'
import { invalidToken } from '../http/wire/errors/refusals.ts'
import { offsetAndLimit, type Page } from '../http/wire/requests/paging.ts'
import { noSuchCollection, tooManyCollections } from '../http/wire/errors/feature-refusals.ts'
import { MAX_COLLECTIONS } from './limits.ts'
import type { CollectionChange, NewCollection } from './schemas.ts'
import type { CollectionKey } from './path-params.ts'

/** What readers do with their own collections. Each statement names the reader: nobody else's are ever touched. */

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

/** A collection in wire shape, its times yet to be written as text. */
export type CollectionRow = Pick<
  TableRow<'collections'>,
  'id' | 'name' | 'is_private' | 'is_default' | 'item_count' | 'created_at' | 'updated_at'
> & { owner_id: number; description: string | null }

type CollectionList = { collections: CollectionRow[]; total: number }

/** Whose collection, and which of theirs. */
export type OwnCollectionKey = { accountId: number; key: CollectionKey }

/**
 * Asks again when it was the default collection that was missing: an account that the service did not make itself has
 * one from now on.
 */
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

/** A reader's collections, all or a page of them: the default one, then the oldest first; and how many there are. */
export async function listCollections(
  db: Database,
  accountId: number,
  page: Page | undefined,
): Promise<CollectionList> {
  const collections = await withDefaultCollection(db, { accountId, key: 'default' }, async () => {
    const found = await selectCollections(db, accountId, page)
    return found.total > 0 ? found : undefined
  })
  return collections ?? { collections: [], total: 0 }
}

/** Whoever has one has the default one: the others are made after it, and it is not deleted. */
async function selectCollections(
  db: Database,
  accountId: number,
  page: Page | undefined,
): Promise<CollectionList> {
  const { offset, limit } = offsetAndLimit(page)
  const ownCollections = db.selectFrom('collections').where('account_id', '=', accountId)
  const [collections, { total }] = await Promise.all([
    ownCollections
      .select(COLUMNS)
      .orderBy('is_default', 'desc')
      .orderBy('created_at')
      .orderBy('id')
      .offset(offset)
      .limit(limit)
      .execute(),
    ownCollections.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { collections, total }
}

/** One of a reader's collections; undefined when there is none, or it is somebody else's. */
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

/** The same. @throws {ApiError} `COMMON_NOT_FOUND` when there is none, or it is somebody else's */
export async function requireCollection(
  db: Database,
  accountId: number,
  key: CollectionKey,
): Promise<CollectionRow> {
  const found = await findCollection(db, accountId, key)
  if (!found) throw noSuchCollection()
  return found
}

/** Locks one of a reader's collections until the transaction ends. @throws {ApiError} `COMMON_NOT_FOUND` */
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

/** @throws {ApiError} `COMMON_VALIDATION_FAILED` when the reader has as many as may be; `AUTH_TOKEN_INVALID` */
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
 * Holds the account, and sees that it may have one collection more.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` when the reader has as many as may be; `AUTH_TOKEN_INVALID`
 */
export async function requireRoomForCollection(trx: Database, accountId: number): Promise<void> {
  // One after another for one reader, so that two at once do not both find room for the last.
  await trx
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    // The account was deleted while its token was on the way.
    .executeTakeFirstOrThrow(() => invalidToken())
  // It is the first one of every reader, and one of those that may be.
  await createDefaultCollection(trx, accountId)
  const { count } = await trx
    .selectFrom('collections')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  if (count >= MAX_COLLECTIONS) throw tooManyCollections(MAX_COLLECTIONS)
}

/**
 * Changes what is sent of a collection. Its time is that of a change: values it has already leave it alone.
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
  const updated = await withDefaultCollection(db, { accountId, key }, () =>
    db
      .updateTable('collections')
      .set({
        ...row,
        updated_at: sql<Date>`case when ${isChangedBy(row)} then now() else updated_at end`,
      })
      .where('account_id', '=', accountId)
      .where(column, '=', value)
      .returning(COLUMNS)
      .executeTakeFirst(),
  )
  if (!updated) throw noSuchCollection()
  return updated
}

/** No description is stored as an empty one. */
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
