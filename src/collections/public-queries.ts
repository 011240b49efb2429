import { sql } from 'kysely'
import { workRefSql } from '../catalog/sql-fragments.ts'
import type { WorkKind } from '../catalog/kinds.ts'
import type { Database } from '../db/database.ts'
import type { toRatedMedia } from '../http/wire/media.ts'
import { offsetAndLimit, type Page } from '../http/wire/requests/paging.ts'
import { absolutePictureUrl } from '../uploads/upload-path.ts'
import {
  itemCount,
  isPublicCollection,
  ITEM_ORDERS,
  IN_COLLECTION,
  publicCollectionById,
  publicCollectionsContaining,
  publicCollectionsOwnedBy,
} from './items/item-sql-fragments.ts'
import type { PublicCollection } from './schemas.ts'

/** A public collection. For a default collection, pages show a name in the viewer's language. */
export type PublicCollectionRow = Omit<PublicCollection, 'created_at' | 'updated_at'> & {
  is_default: boolean
  created_at: Date
  updated_at: Date
}

/** @param more further columns, each after a comma */
export const publicCollections = (seesNsfw: boolean, more = sql``) => sql`
  select
    collection.id,
    collection.name,
    collection.is_default,
    collection.description,
    json_build_object(
      'id', owner.id,
      'name', coalesce(owner.nickname, owner.name),
      'picture', owner.picture
    ) as owner,
    ${itemCount(seesNsfw)} as item_count,
    collection.created_at,
    collection.updated_at
    ${more}
  from collections collection
  join accounts owner on owner.id = collection.account_id`

/** @returns undefined if the collection does not exist or is private, or its owner is banned */
export async function findPublicCollection(
  db: Database,
  id: number,
  seesNsfw: boolean,
): Promise<PublicCollectionRow | undefined> {
  const { rows } = await sql<PublicCollectionRow>`
    ${publicCollections(seesNsfw)} where ${publicCollectionById(id)}`.execute(db)
  return rows[0]
}

/** @returns the owner of a public collection; undefined if there is no such collection */
export async function findPublicOwner(db: Database, id: number): Promise<number | undefined> {
  const { rows } = await sql<{ account_id: number }>`
    select collection.account_id from collections collection where ${publicCollectionById(id)}`.execute(
    db,
  )
  return rows[0]?.account_id
}

/** Lists a user's public collections with items that the viewer may see, most recently changed first. */
export async function listUserPublicCollections(
  db: Database,
  accountId: number,
  { seesNsfw, page }: { seesNsfw: boolean; page: Page },
): Promise<{ collections: PublicCollectionRow[]; total: number }> {
  const { offset, limit } = offsetAndLimit(page)
  const shown = sql`
    from (${publicCollections(seesNsfw)} where ${publicCollectionsOwnedBy(accountId)}) shown
    where shown.item_count > 0`
  const [{ rows }, { rows: totals }] = await Promise.all([
    sql<PublicCollectionRow>`
      select shown.* ${shown} order by shown.updated_at desc, shown.id offset ${offset} limit ${limit}`.execute(
      db,
    ),
    sql<{ total: number }>`select count(*) as total ${shown}`.execute(db),
  ])
  return { collections: rows, total: totals[0]?.total ?? 0 }
}

/** Minimum number of works in a collection that the home page shows, enough for its mosaic. */
const MIN_SHOWN_ITEMS = 4

/** Lists the public collections of all users that were changed last and fill a mosaic, most recently changed first. */
export async function listNewestCollections(
  db: Database,
  seesNsfw: boolean,
  limit: number,
): Promise<PublicCollectionRow[]> {
  const { rows } = await sql<PublicCollectionRow>`
    ${publicCollections(seesNsfw)}
    where not collection.is_private and collection.item_count >= ${sql.lit(MIN_SHOWN_ITEMS)} and ${isPublicCollection}
    order by collection.updated_at desc, collection.id desc
    limit ${limit * 2}`.execute(db)
  return rows.filter(({ item_count: amount }) => amount >= MIN_SHOWN_ITEMS).slice(0, limit)
}

/** Returns a public collection as the API sends it, with an absolute picture URL. */
export function toPublicCollection(found: PublicCollectionRow, authUrl: string) {
  const { is_default: _, owner, ...collection } = found
  const picture = owner.picture === null ? null : absolutePictureUrl(owner.picture, authUrl)
  return { ...collection, owner: { ...owner, picture } }
}

/** A public collection in the list on a work's page. */
export type ContainingPublicCollection = {
  id: number
  name: string
  is_default: boolean
  owner: string
  owner_id: number
  item_count: number
}

export async function listPublicCollectionsContaining(
  db: Database,
  workId: number,
  { seesNsfw, limit }: { seesNsfw: boolean; limit: number },
): Promise<ContainingPublicCollection[]> {
  const { rows } = await sql<ContainingPublicCollection>`
    select
      collection.id,
      collection.name,
      collection.is_default,
      coalesce(owner.nickname, owner.name) as owner,
      owner.id as owner_id,
      ${itemCount(seesNsfw)} as item_count
    from collections collection
    join accounts owner on owner.id = collection.account_id
    where ${publicCollectionsContaining(workId)}
    order by collection.item_count desc, collection.id
    limit ${limit}
  `.execute(db)
  return rows
}

/** A work whose cover represents its collection. */
export type MosaicWork = {
  work_id: number
  kind: WorkKind
  work: {
    name: string
    trans_name: string | null
    image: Parameters<typeof toRatedMedia>[0] | null
  } | null
}

const COVERS_PER_MOSAIC = 4

/**
 * Returns the first works of each collection, keyed by collection id.
 *
 * @param accountIds owners of the collections
 * @param ids collections that the viewer may see
 */
export async function listCoverMosaics(
  db: Database,
  accountIds: readonly number[],
  ids: readonly number[],
  seesNsfw: boolean,
): Promise<Map<number, MosaicWork[]>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<MosaicWork & { collection_id: number }>`
    select collection.id as collection_id, first.*
    from collections collection
    cross join lateral (
      select item.work_id, work.kind, ${sql.raw(workRefSql('work.id', 'work.kind'))} as work
      from collection_items item
      join works work on work.id = item.work_id
      where ${IN_COLLECTION} ${seesNsfw ? sql`` : sql`and not work.nsfw`}
      order by ${ITEM_ORDERS.position}
      limit ${COVERS_PER_MOSAIC}
    ) first
    where collection.account_id = any(${[...accountIds]}) and collection.id = any(${[...ids]})`.execute(
    db,
  )
  return Map.groupBy(rows, ({ collection_id }) => collection_id)
}
