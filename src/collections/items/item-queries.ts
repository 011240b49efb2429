import { sql } from 'kysely'
import { missingEntryError } from '../../catalog/merged.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { kindOfWorkType } from '../../catalog/work-types.ts'
import type { Database } from '../../db/database.ts'
import { forAnyValue } from '../../db/generic-plan.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { notInCollection } from '../../http/wire/errors/feature-refusals.ts'
import { offsetAndLimit, paged, pageOfCollection } from '../../http/wire/requests/paging.ts'
import {
  IN_COLLECTION,
  isShownWork,
  ITEM_COLUMNS,
  ITEM_ORDERS,
  itemsOf,
  ownCollection,
  SHOWN_COLUMNS,
  typeCounts,
} from './item-sql-fragments.ts'
import { requireCollection } from '../queries.ts'
import type { CollectionItem, ContainingCollection, ItemsPage, ItemsQuery } from '../schemas.ts'
import type { OwnCollectionKey, WorkKey } from '../path-params.ts'

/**
 * Finds a page of a collection's items, with the number of matching items per type.
 *
 * @returns undefined if the collection does not exist
 */
export async function findItemPage(
  db: Database,
  collection: OwnCollectionKey,
  query: ItemsQuery,
  seesNsfw: boolean,
) {
  const page = pageOfCollection(query)
  const { type, work_type, keyword, sort = 'added' } = query
  const order = ITEM_ORDERS[sort]
  const { accountId, key } = collection
  const works =
    keyword || !seesNsfw ? await findShownWorks(db, collection, { keyword, seesNsfw }) : null
  const kind = type ?? kindOfWorkType(work_type)
  const { offset, limit } = offsetAndLimit(page)
  const { rows } = await sql<{ items: ItemRow[]; counts: ItemsPage['type_counts'] }>`
    select
      ${typeCounts({ accountId, works })} as counts,
      (
        select coalesce(json_agg(row_to_json(entry)), '[]')
        from (
          select ${ITEM_COLUMNS}
          from collection_items item
          join work_refs work on work.id = item.work_id
          where ${itemsOf({ accountId, kind, works })}
          order by ${order}
          offset ${offset} limit ${limit}
        ) entry
      ) as items
    from collections collection
    where ${ownCollection(accountId, key)}
  `.execute(db)
  const [found] = rows
  if (!found) return undefined
  const { counts, items } = found
  return { ...paged(await toItems(db, items), page, counts[kind ?? 'total']), type_counts: counts }
}

/** Finds the works of a user's collection that the user may see and whose titles contain the keyword. */
async function findShownWorks(
  db: Database,
  { accountId, key }: OwnCollectionKey,
  filter: Parameters<typeof isShownWork>[0],
): Promise<number[]> {
  const { rows: collected } = await sql<{ id: number }>`
    select item.work_id as id
    from collections collection
    join collection_items item on ${IN_COLLECTION}
    where item.account_id = ${accountId} and ${ownCollection(accountId, key)}`.execute(db)
  const { rows: shown } = await sql<{ id: number }>`
    select work.id
    from works work
    where work.id = any(${collected.map(({ id }) => id)}::bigint[]) and ${isShownWork(filter)}`.execute(
    db,
  )
  return shown.map(({ id }) => id)
}

/** Fields of an item that are user data. */
export type ItemRow = Omit<CollectionItem, WorkKind | 'work'>

const SHOWN_WORKS = statement('collections.shown_works').returning<{
  id: number
  work: unknown
  summary: unknown
}>(`
  select work.id, ${SHOWN_COLUMNS}
  from works work
  where work.id = any(${forAnyValue('$1::bigint[]')})`)

/** Adds to each item the catalog fields of its work. Omits items whose work was merged since they were read. */
export async function toItems(db: Database, items: readonly ItemRow[]): Promise<CollectionItem[]> {
  if (items.length === 0) return []
  const rows = await queryRows(db, SHOWN_WORKS, [items.map(({ work_id: id }) => id)])
  const shown = new Map(rows.map(({ id, work, summary }) => [id, { work, summary }]))
  return items.flatMap((item) => {
    const { work, summary } = shown.get(item.work_id) ?? {}
    if (!work) return []
    const { note, created_at, added_at, updated_at, ...head } = item
    // as: the statement builds the summary that the schema expects under the type's name
    return {
      ...head,
      work,
      note,
      created_at,
      added_at,
      updated_at,
      [item.type]: summary,
    } as CollectionItem
  })
}

/** @throws {ApiError} `COMMON_NOT_FOUND`; `WIKI_RESOURCE_MERGED` if the work was merged into another */
export async function requireItem(
  db: Database,
  { accountId, key }: OwnCollectionKey,
  work: WorkKey,
): Promise<CollectionItem> {
  const { rows } = await sql<ItemRow>`
    select ${ITEM_COLUMNS}
    from collections collection
    join collection_items item on ${IN_COLLECTION}
    join work_refs work on work.id = item.work_id
    where ${ownCollection(accountId, key)}
      and item.account_id = ${accountId}
      and work.id = ${work.id}
      and work.kind = ${work.kind}
  `.execute(db)
  const [item] = await toItems(db, rows)
  if (item) return item
  await requireCollection(db, accountId, key)
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
    join work_refs work on work.id = item.work_id
    join collections collection on ${IN_COLLECTION}
    where item.account_id = ${accountId} and collection.account_id = ${accountId} and item.work_id = ${work.id} and work.kind = ${work.kind}
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
