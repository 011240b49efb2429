import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { ITEM_ORDERS, ownCollection } from './item-sql-fragments.ts'
import { requireItem } from './item-queries.ts'
import type { OwnCollectionKey, WorkKey } from '../path-params.ts'

/**
 * Moves a work to a position in its collection. The works in between shift by one.
 *
 * @param position position from 1; a number beyond the last position means the last
 * @returns the resulting position
 * @throws {ApiError} `COMMON_NOT_FOUND`
 */
export async function moveItem(
  db: Database,
  collection: OwnCollectionKey,
  work: WorkKey,
  position: number,
): Promise<number> {
  const { accountId, key } = collection
  const moved = await db.transaction().execute(async (trx) => {
    // This is a separate statement: after waiting for the lock, the next statement sees the result of the concurrent
    // move.
    const { rows: locked } = await sql<{ id: number }>`
      select collection.id
      from collections collection
      where ${ownCollection(accountId, key)}
      for no key update`.execute(trx)
    const id = locked[0]?.id
    if (id === undefined) return undefined
    const { rows } = await sql<{ position: number }>`
      with placed as (
        select item.work_id, work.kind, row_number() over (order by ${ITEM_ORDERS.position}) as place
        from collection_items item
        join work_refs work on work.id = item.work_id
        where item.account_id = ${accountId} and item.collection_id = ${id}
      ), moved as (
        select placed.work_id, placed.place from placed where placed.work_id = ${work.id} and placed.kind = ${work.kind}
      ), ordered as (
        select
          placed.work_id,
          -- Half a place after the target when moving down, half a place before it when moving up.
          row_number() over (
            order by case
              when placed.work_id <> moved.work_id then placed.place
              else ${position}::integer + sign(${position}::integer - moved.place) * 0.5
            end
          ) as position
        from placed
        cross join moved
      ), changed as (
        update collection_items item
        set position = ordered.position
        from ordered
        where item.account_id = ${accountId}
          and item.collection_id = ${id}
          and item.work_id = ordered.work_id
          and item.position is distinct from ordered.position
        returning item.work_id
      ), touched as (
        update collections collection
        set updated_at = now()
        where collection.account_id = ${accountId} and collection.id = ${id} and exists (select from changed)
      )
      select ordered.position from ordered join moved on moved.work_id = ordered.work_id`.execute(
      trx,
    )
    return rows[0]?.position
  })
  if (moved !== undefined) return moved
  // Throws the error for the missing collection or work.
  await requireItem(db, collection, work)
  return moveItem(db, collection, work, position)
}
