import { sql, type RawBuilder } from 'kysely'
import { missingEntryError } from '../../catalog/merged.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { kindOfWorkType } from '../../catalog/work-types.ts'
import type { Database } from '../../db/database.ts'
import { notInCollection } from '../../http/wire/errors/feature-refusals.ts'
import { offsetAndLimit, paged, pageOfCollection } from '../../http/wire/requests/paging.ts'
import {
  ITEM_COLUMNS,
  ITEM_ORDERS,
  itemsOf,
  ownCollection,
  typeCounts,
} from './item-sql-fragments.ts'
import { requireCollection } from '../queries.ts'
import type { CollectionItem, ContainingCollection, ItemsPage, ItemsQuery } from '../schemas.ts'
import type { OwnCollectionKey, WorkKey } from '../path-params.ts'

/**
 * Finds a page of a collection's items, with the number of matching items per type.
 *
 * @param which `ownCollection` or `publicCollectionById`
 * @returns undefined if the collection does not exist
 */
export async function findItemPage(
  db: Database,
  which: RawBuilder<unknown>,
  query: ItemsQuery,
  seesNsfw: boolean,
) {
  const page = pageOfCollection(query)
  const { type, work_type, keyword, sort = 'added' } = query
  const order = ITEM_ORDERS[sort]
  const filter = { kind: type ?? kindOfWorkType(work_type), keyword, seesNsfw }
  const { offset, limit } = offsetAndLimit(page)
  const { rows } = await sql<{ items: ItemRow[]; counts: ItemsPage['type_counts'] }>`
    select
      ${typeCounts({ keyword, seesNsfw })} as counts,
      (
        select coalesce(json_agg(row_to_json(entry)), '[]')
        from (
          select ${ITEM_COLUMNS}
          from (
            -- Select the page first, so that works of earlier pages are not read.
            select item.*
            from collection_items item
            join works work on work.id = item.work_id
            where ${itemsOf(filter)}
            order by ${order}
            offset ${offset} limit ${limit}
          ) item
          join works work on work.id = item.work_id
          order by ${order}
        ) entry
      ) as items
    from collections collection
    where ${which}
  `.execute(db)
  const [found] = rows
  if (!found) return undefined
  const { counts } = found
  return {
    ...paged(found.items.map(toItem), page, counts[filter.kind ?? 'total']),
    type_counts: counts,
  }
}

/** An item as read from the database, before `toItem` renames `summary` to the type of the item. */
export type ItemRow = Omit<CollectionItem, WorkKind> & { summary: unknown }

// as: the statement builds the summary that the schema expects under the type's name
export const toItem = ({ summary, ...item }: ItemRow) =>
  ({ ...item, [item.type]: summary }) as CollectionItem

/** @throws {ApiError} `COMMON_NOT_FOUND`; `WIKI_RESOURCE_MERGED` if the work was merged into another */
export async function requireItem(
  db: Database,
  collection: OwnCollectionKey,
  work: WorkKey,
): Promise<CollectionItem> {
  const { rows } = await sql<ItemRow>`
    select ${ITEM_COLUMNS}
    from collections collection
    join collection_items item on item.account_id = collection.account_id and item.collection_id = collection.id
    join works work on work.id = item.work_id
    where ${ownCollection(collection.accountId, collection.key)} and work.id = ${work.id} and work.kind = ${work.kind}
  `.execute(db)
  if (rows[0]) return toItem(rows[0])
  await requireCollection(db, collection.accountId, collection.key)
  throw (await workExists(db, work))
    ? notInCollection()
    : await missingEntryError(db, work.kind, work.id, true)
}

/**
 * Lists the user's collections that contain a work, in the order of the user's list of collections.
 *
 * @throws {ApiError} `COMMON_NOT_FOUND`; `WIKI_RESOURCE_MERGED`
 */
export async function listCollectionsContaining(
  db: Database,
  accountId: number,
  work: WorkKey,
): Promise<ContainingCollection[]> {
  const { rows } = await sql<ContainingCollection>`
    select collection.id, collection.name, collection.is_default
    from collection_items item
    join works work on work.id = item.work_id
    join collections collection on collection.account_id = item.account_id and collection.id = item.collection_id
    where item.account_id = ${accountId} and item.work_id = ${work.id} and work.kind = ${work.kind}
    order by collection.is_default desc, collection.created_at, collection.id
  `.execute(db)
  if (rows.length === 0 && !(await workExists(db, work)))
    throw await missingEntryError(db, work.kind, work.id, true)
  return rows
}

async function workExists(db: Database, { id, kind }: WorkKey): Promise<boolean> {
  const { rows } =
    await sql`select from shown_works work where work.id = ${id} and work.kind = ${kind}`.execute(
      db,
    )
  return rows.length > 0
}
