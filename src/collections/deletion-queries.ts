import { sql } from 'kysely'
import { isCheckViolation } from '../db/constraint-errors.ts'
import type { Database } from '../db/database.ts'
import {
  collectionIsFull,
  defaultStays,
  nothingToRestore,
  noSuchCollection,
} from '../http/wire/errors/feature-refusals.ts'
import { ownCollection } from './items/item-sql-fragments.ts'
import { MAX_ITEMS } from './limits.ts'
import { requireRoomForCollection, type OwnCollectionKey } from './queries.ts'
import type { CollectionKey, WorkKey } from './path-params.ts'

/** How long what was deleted can be brought back. */
const RESTORE_MINUTES = 10

const NOT_TOO_LATE = sql.raw(`now() - interval '${RESTORE_MINUTES} minutes'`)

/**
 * Deletes a collection with what is in it, which for a while can be brought back; nothing happens when there is none.
 *
 * @throws {ApiError} `COMMON_CONFLICT` when it is the default one
 */
export async function deleteCollection(
  db: Database,
  accountId: number,
  key: CollectionKey,
): Promise<void> {
  if (key === 'default') throw defaultStays()
  await db.transaction().execute(async (trx) => {
    // Held in a statement of its own: the next one then finds what others have put into it meanwhile.
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
          where item.account_id = collection.account_id and item.collection_id = collection.id
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
 * Brings a collection back that was just deleted, with those of its works that there still are.
 *
 * @throws {ApiError} `COMMON_NOT_FOUND` when there is none of that id, or it is too late; `COMMON_VALIDATION_FAILED` when
 *   the reader has as many as may be
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
          from jsonb_populate_recordset(null::collection_items, gone.items) item
          join works work on work.id = item.work_id
        ),
        stored.created_at, stored.updated_at
      from deleted_collections gone
      cross join lateral jsonb_populate_record(null::collections, gone.collection) stored
      where gone.account_id = ${accountId} and gone.id = ${id} and gone.deleted_at > ${NOT_TOO_LATE}
      returning 1`.execute(trx)
    if (rows.length === 0) throw nothingToRestore()
    await sql`
      with taken as (
        delete from deleted_collections gone
        where gone.account_id = ${accountId} and gone.id = ${id}
        returning gone.items
      )
      insert into collection_items (account_id, collection_id, work_id, id, note, position, last_put, added_at, updated_at)
      select ${accountId}, ${id}, work.id, coalesce(item.id, random_id()), item.note, item.position, 'ADDED', item.added_at, item.updated_at
      from taken
      cross join lateral jsonb_populate_recordset(null::collection_items, taken.items) item
      join works work on work.id = item.work_id`.execute(trx)
  })
}

/** The last work that was taken out of a collection, if it can still be brought back. */
export async function findRemovedItem(
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
      and removed.removed_at > ${NOT_TOO_LATE}`.execute(db)
  return rows.length > 0
}

/** The name of a collection that was just deleted, if it can still be brought back. */
export async function findDeletedCollection(
  db: Database,
  accountId: number,
  id: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select gone.collection ->> 'name' as name
    from deleted_collections gone
    where gone.account_id = ${accountId} and gone.id = ${id} and gone.deleted_at > ${NOT_TOO_LATE}`.execute(
    db,
  )
  return rows[0]?.name
}

/**
 * Puts a work back that was just taken out of a collection, with its note and in its place.
 *
 * @throws {ApiError} `COMMON_NOT_FOUND` when there is none, or it is too late; `COMMON_VALIDATION_FAILED` when the
 *   collection is full
 */
export async function restoreItem(
  db: Database,
  { accountId, key }: OwnCollectionKey,
  { id, kind }: WorkKey,
): Promise<void> {
  const restore = sql<{ is_back: boolean }>`
    with collection as materialized (
      select collection.account_id, collection.id
      from collections collection
      where ${ownCollection(accountId, key)}
      for no key update
    ), taken as (
      delete from removed_items removed
      using collection
      where removed.account_id = ${accountId}
        and removed.collection_id = collection.id
        and removed.work_id = ${id}
        and removed.removed_at > ${NOT_TOO_LATE}
      returning removed.collection_id, removed.item
    ), put as (
      insert into collection_items (account_id, collection_id, work_id, id, note, position, last_put, added_at, updated_at)
      select ${accountId}, taken.collection_id, work.id, coalesce(item.id, random_id()), item.note, item.position, 'ADDED', item.added_at, item.updated_at
      from taken
      cross join lateral jsonb_populate_record(null::collection_items, taken.item) item
      join works work on work.id = ${id} and work.kind = ${kind}
      on conflict (account_id, collection_id, work_id) do nothing
      returning collection_id
    ), counted as (
      update collections collection
      set item_count = collection.item_count + 1, updated_at = now()
      from put
      where collection.account_id = ${accountId} and collection.id = put.collection_id
    )
    select exists (select from taken) as is_back from collection`
  const { rows } = await restore.execute(db).catch((error: unknown) => {
    throw isCheckViolation(error, 'collections_item_count_check')
      ? collectionIsFull(MAX_ITEMS)
      : error
  })
  const [found] = rows
  if (!found) throw noSuchCollection()
  if (!found.is_back) throw nothingToRestore()
}
