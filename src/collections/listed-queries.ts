import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { hasSafeItem, isPublicCollection } from './items/item-sql-fragments.ts'
import { publicCollections, type PublicCollectionRow } from './public-queries.ts'

export const COLLECTION_ORDERS = ['recent', 'largest'] as const
export type CollectionOrder = (typeof COLLECTION_ORDERS)[number]

/** Position in a list of collections: the sorted value of the last collection, and its id. */
export type CollectionPosition = { value: number; id: number }

/** A collection in a list, with its position. */
export type ListedCollection = PublicCollectionRow & { position: CollectionPosition }

type ListQuery = {
  /** Part of the name; empty for all collections. */
  name: string
  seesNsfw: boolean
  /** Position of the last collection of the previous page; undefined for the first page. */
  after: CollectionPosition | undefined
  limit: number
}

const SORTED = { recent: sql`collection.updated_at`, largest: sql`collection.item_count` }

/**
 * Lists the public collections of all users that contain works the viewer may see. Pages are read by position, because
 * an offset would read every collection before it.
 */
export async function listPublicCollections(
  db: Database,
  order: CollectionOrder,
  { name, seesNsfw, after, limit }: ListQuery,
): Promise<ListedCollection[]> {
  const sorted = SORTED[order]
  const { rows } = await sql<PublicCollectionRow & { size: number }>`
    ${publicCollections(seesNsfw, sql`, collection.item_count as size`)}
    where not collection.is_private and collection.item_count > 0 and ${isPublicCollection}
      ${seesNsfw ? sql`` : sql`and ${hasSafeItem}`}
      ${name === '' ? sql`` : sql`and not collection.is_default and strpos(lower(collection.name), lower(${name})) > 0`}
      ${after ? sql`and (${sorted}, collection.id) < (${positionSql(order, after.value)}, ${after.id}::bigint)` : sql``}
    order by ${sorted} desc, collection.id desc
    limit ${limit}`.execute(db)
  return rows.map(({ size, ...collection }) => {
    const { id, updated_at: changed } = collection
    return { ...collection, position: { id, value: order === 'recent' ? changed.getTime() : size } }
  })
}

const positionSql = (order: CollectionOrder, value: number) =>
  order === 'recent' ? sql`${new Date(value).toISOString()}::timestamptz` : sql`${value}::integer`
