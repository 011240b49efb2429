import { sql } from 'kysely'
import { isoTime, workRef } from '../catalog/sql-fragments.ts'
import type { WorkKind } from '../catalog/kinds.ts'
import type { CollectionKey } from './work-path.ts'

/** Pieces of the statements about what is in collections. */

/** One of the reader's own, as `collections collection`. */
export const ownCollection = (accountId: number, key: CollectionKey) => sql`
  collection.account_id = ${accountId}
  and ${key === 'default' ? sql`collection.is_default` : sql`collection.id = ${key}`}`

/** One that everybody may see, as `collections collection`: not private, of somebody who is not banned. */
export const publicCollection = (id: number) => sql`
  collection.id = ${id}
  and not collection.is_private
  and exists (
    select from accounts account where account.id = collection.account_id and account.banned_at is null
  )`

/** The columns of an item in wire shape, of `item` and its `work`. */
export const ITEM_COLUMNS = sql`
  work.kind as work_type,
  item.work_id,
  ${sql.raw(workRef('work.id', 'work.kind'))} as work,
  item.note,
  ${sql.raw(isoTime('item.added_at'))} as added_at,
  ${sql.raw(isoTime('item.updated_at'))} as updated_at`

type ItemFilter = {
  kind?: WorkKind | undefined
  /** Whether nsfw works are there. */
  seesNsfw: boolean
}

/** How many of the items of `collection` pass the filter. */
export function itemCount({ kind, seesNsfw }: ItemFilter) {
  if (seesNsfw && kind === undefined) return sql`collection.item_count`
  return sql`(
    select count(*)
    from collection_items item
    join works work on work.id = item.work_id
    where ${itemsOf({ kind, seesNsfw })}
  )`
}

/** Which `item`, with its `work`, of `collection`. */
export const itemsOf = ({ kind, seesNsfw }: ItemFilter) => sql`
  item.account_id = collection.account_id
  and item.collection_id = collection.id
  ${kind === undefined ? sql`` : sql`and work.kind = ${kind}`}
  ${seesNsfw ? sql`` : sql`and not work.nsfw`}`
