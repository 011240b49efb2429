import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import {
  defaultStays,
  nothingToRestore,
  noSuchCollection,
} from '../http/wire/errors/feature-refusals.ts'
import { lockedCollection, ownCollection } from './items/item-sql-fragments.ts'
import { reportFullCollection, requireRoomForCollection } from './queries.ts'
import type { CollectionKey, OwnCollectionKey, WorkKey } from './path-params.ts'

/** SQL for the time of the earliest deletion that can still be undone. */
const RESTORABLE_SINCE = sql`now() - interval '10 minutes'`

/**
 * Deletes a collection with its items, if it exists. The collection can be restored for a while.
 *
 * @throws {ApiError} `COMMON_CONFLICT` for the default collection
 */
export async function deleteCollection(
  db: Database,
  accountId: number,
  key: CollectionKey,
): Promise<void> {
  if (key === 'default') throw defaultStays()
  await db.transaction().execute(async (trx) => {
    // This is a separate statement: after waiting for the lock, the next statement sees items that were added in the
    // meantime.
    const { rows } = await sql<{ is_default: boolean }>`
      select collection.is_default
      from collections collection
      where ${ownCollection(accountId, key)}
      for update`.execute(trx)
    const [found] = rows
    if (!found) return
    if (found.is_default) throw defaultStays()
    await sql`
      insert into deleted_collections (account_id, id, collection, items)
      select
        collection.account_id, collection.id, to_jsonb(collection),
        (
          select coalesce(jsonb_agg(to_jsonb(item)), '[]')
          from collection_items item
          where item.account_id = ${accountId} and item.collection_id = collection.id
        )
      from collections collection
      where ${ownCollection(accountId, key)}
      on conflict (account_id, id) do update
      set collection = excluded.collection, items = excluded.items, deleted_at = excluded.deleted_at`.execute(
      trx,
    )
    await sql`delete from collections collection where ${ownCollection(accountId, key)}`.execute(
      trx,
    )
  })
}

/**
 * Restores a recently deleted collection, with those of its works that still exist.
 *
 * @throws {ApiError} `COMMON_NOT_FOUND` if the collection cannot be restored; `COMMON_VALIDATION_FAILED` if the user
 * has the maximum number of collections
 */
export async function restoreCollection(
  db: Database,
  accountId: number,
  id: number,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await requireRoomForCollection(trx, accountId)
    const { rows } = await sql`
      insert into collections (account_id, id, name, description, is_private, item_count, created_at, updated_at)
      select
        ${accountId}, ${id}, stored.name, stored.description, stored.is_private,
        (
          select count(*)
          from jsonb_populate_recordset(null::collection_items, deleted.items) item
          join work_refs work on work.id = item.work_id
        ),
        stored.created_at, stored.updated_at
      from deleted_collections deleted
      cross join lateral jsonb_populate_record(null::collections, deleted.collection) stored
      where deleted.account_id = ${accountId} and deleted.id = ${id} and deleted.deleted_at > ${RESTORABLE_SINCE}
      returning 1`.execute(trx)
    if (rows.length === 0) throw nothingToRestore()
    await sql`
      with restored as (
        delete from deleted_collections deleted
        where deleted.account_id = ${accountId} and deleted.id = ${id}
        returning deleted.items
      )
      insert into collection_items (account_id, collection_id, work_id, id, note, position, last_put, added_at, updated_at)
      select ${accountId}, ${id}, work.id, coalesce(item.id, random_id()), item.note, item.position, 'ADDED', item.added_at, item.updated_at
      from restored
      cross join lateral jsonb_populate_recordset(null::collection_items, restored.items) item
      join work_refs work on work.id = item.work_id`.execute(trx)
  })
}

export async function hasRestorableItem(
  db: Database,
  accountId: number,
  collectionId: number,
  workId: number,
): Promise<boolean> {
  const { rows } = await sql`
    select from removed_items removed
    where removed.account_id = ${accountId}
      and removed.collection_id = ${collectionId}
      and removed.work_id = ${workId}
      and removed.removed_at > ${RESTORABLE_SINCE}`.execute(db)
  return rows.length > 0
}

/** Returns the name of a deleted collection that can still be restored. */
export async function findDeletedCollection(
  db: Database,
  accountId: number,
  id: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select deleted.collection ->> 'name' as name
    from deleted_collections deleted
    where deleted.account_id = ${accountId} and deleted.id = ${id} and deleted.deleted_at > ${RESTORABLE_SINCE}`.execute(
    db,
  )
  return rows[0]?.name
}

/**
 * Restores a recently removed work with its note and position.
 *
 * @throws {ApiError} `COMMON_NOT_FOUND` if the work cannot be restored; `COMMON_VALIDATION_FAILED` if the collection
 * is full
 */
export async function restoreItem(
  db: Database,
  collection: OwnCollectionKey,
  { id, kind }: WorkKey,
): Promise<void> {
  const { accountId } = collection
  const restore = sql<{ is_restored: boolean }>`
    with ${lockedCollection(collection)}, restored as (
      delete from removed_items removed
      using collection
      where removed.account_id = ${accountId}
        and removed.collection_id = collection.id
        and removed.work_id = ${id}
        and removed.removed_at > ${RESTORABLE_SINCE}
      returning removed.collection_id, removed.item
    ), put as (
      insert into collection_items (account_id, collection_id, work_id, id, note, position, last_put, added_at, updated_at)
      select ${accountId}, restored.collection_id, work.id, coalesce(item.id, random_id()), item.note, item.position, 'ADDED', item.added_at, item.updated_at
      from restored
      cross join lateral jsonb_populate_record(null::collection_items, restored.item) item
      join work_refs work on work.id = ${id} and work.kind = ${kind}
      on conflict (account_id, collection_id, work_id) do nothing
      returning collection_id
    ), counted as (
      update collections collection
      set item_count = collection.item_count + 1, updated_at = now()
      from put
      where collection.account_id = ${accountId} and collection.id = put.collection_id
    )
    select exists (select from restored) as is_restored from collection`
  const { rows } = await restore.execute(db).catch(reportFullCollection)
  const [found] = rows
  if (!found) throw noSuchCollection()
  if (!found.is_restored) throw nothingToRestore()
}
