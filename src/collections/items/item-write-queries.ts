import { sql } from 'kysely'
import { missingEntryError } from '../../catalog/merged.ts'
import type { Database } from '../../db/database.ts'
import { noSuchCollection } from '../../http/wire/errors/feature-refusals.ts'
import { toItems, type ItemRow } from './item-queries.ts'
import { ITEM_COLUMNS, lockedCollection } from './item-sql-fragments.ts'
import { reportFullCollection, requireCollection, withDefaultCollection } from '../queries.ts'
import type { CollectionItem } from '../schemas.ts'
import type { OwnCollectionKey, WorkKey } from '../path-params.ts'

/**
 * Adds a work to a collection, or changes its note.
 *
 * @param note undefined to keep the stored note
 * @throws {ApiError} `COMMON_NOT_FOUND`; `WIKI_RESOURCE_MERGED`; `COMMON_VALIDATION_FAILED` if the collection is full
 */
export async function putItem(
  db: Database,
  collection: OwnCollectionKey,
  work: WorkKey,
  note: string | undefined,
): Promise<CollectionItem> {
  const newNote = sql`coalesce(${note ?? null}::text, item.note)`
  // Changes to a collection's items wait for the lock on the collection, so the item count is exact. A constraint on
  // the count enforces the limit.
  const put = sql<ItemRow>`
    with ${lockedCollection(collection)}, put as (
      insert into collection_items as item (account_id, collection_id, work_id, note, position, last_put)
      select
        ${collection.accountId}::bigint, collection.id, work.id, ${note ?? ''}::text,
        -- After the last item, or null while no item has a position.
        (
          select max(other.position) + 1
          from collection_items other
          where other.account_id = ${collection.accountId} and other.collection_id = collection.id
        ),
        'ADDED'
      from collection
      join work_refs work on work.id = ${work.id} and work.kind = ${work.kind}
      where not work.withdrawn
        or exists (
          select from collection_items known
          where known.account_id = ${collection.accountId}
            and known.collection_id = collection.id
            and known.work_id = work.id
        )
      on conflict (account_id, collection_id, work_id) do update
      set
        note = ${newNote},
        last_put = case when item.note = ${newNote} then 'UNCHANGED' else 'CHANGED' end,
        updated_at = case when item.note = ${newNote} then item.updated_at else excluded.updated_at end
      returning *
    ), counted as (
      update collections collection
      set item_count = collection.item_count + (put.last_put = 'ADDED')::integer, updated_at = put.updated_at
      from put
      where collection.account_id = ${collection.accountId}
        and collection.id = put.collection_id
        and put.last_put <> 'UNCHANGED'
    )
    select ${ITEM_COLUMNS} from put item join work_refs work on work.id = item.work_id
  `
  const item = await withDefaultCollection(db, collection, async () => {
    const { rows } = await put.execute(db).catch(reportFullCollection)
    return rows[0]
  })
  const [shown] = await toItems(db, item ? [item] : [])
  if (shown) return shown
  await requireCollection(db, collection.accountId, collection.key)
  throw await missingEntryError(db, work.kind, work.id, true)
}

/**
 * Removes a work from a collection, if it is in the collection. The work can be restored for a while.
 *
 * @throws {ApiError} `COMMON_NOT_FOUND` if the collection does not exist
 */
export async function deleteItem(
  db: Database,
  collection: OwnCollectionKey,
  work: WorkKey,
): Promise<void> {
  const remove = sql`
    with ${lockedCollection(collection)}, deleted as (
      delete from collection_items item
      using collection, work_refs work
      where item.account_id = ${collection.accountId}
        and item.collection_id = collection.id
        and item.work_id = work.id
        and work.id = ${work.id}
        and work.kind = ${work.kind}
      returning item.*
    ), removed as (
      insert into removed_items (account_id, collection_id, work_id, item)
      select deleted.account_id, deleted.collection_id, deleted.work_id, to_jsonb(deleted)
      from deleted
      on conflict (account_id, collection_id, work_id) do update
      set item = excluded.item, removed_at = excluded.removed_at
    ), counted as (
      update collections collection
      set item_count = collection.item_count - 1, updated_at = now()
      from deleted
      where collection.account_id = ${collection.accountId} and collection.id = deleted.collection_id
    )
    select from collection
  `
  const found = await withDefaultCollection(
    db,
    collection,
    async () => (await remove.execute(db)).rows[0],
  )
  if (!found) throw noSuchCollection()
}
