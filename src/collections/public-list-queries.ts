import { sql } from 'kysely'
import { workRef } from '../catalog/sql-fragments.ts'
import type { WorkKind } from '../catalog/kinds.ts'
import type { Database } from '../db/database.ts'
import { offsetAndLimit, type Page } from '../http/wire/requests/paging.ts'
import {
  ITEM_ORDERS,
  itemCount,
  itemsOf,
  publicCollectionsOwnedBy,
} from './items/item-sql-fragments.ts'
import type { PublicCollectionRow } from './public-queries.ts'

/** Those of a reader's collections that everybody may see and that hold something for this looker, the last changed first. */
export async function listUserPublicCollections(
  db: Database,
  accountId: number,
  { seesNsfw, page }: { seesNsfw: boolean; page: Page },
): Promise<{ collections: PublicCollectionRow[]; total: number }> {
  const { offset, limit } = offsetAndLimit(page)
  const counted = sql`
    select
      collection.id, collection.name, collection.is_default, collection.description, collection.account_id,
      collection.created_at, collection.updated_at,
      ${itemCount(seesNsfw)} as item_count
    from collections collection
    where ${publicCollectionsOwnedBy(accountId)}`
  const [{ rows }, { rows: totals }] = await Promise.all([
    sql<PublicCollectionRow>`
      select
        shown.id, shown.name, shown.is_default, shown.description,
        json_build_object(
          'id', owner.id, 'name', coalesce(owner.nickname, owner.name), 'picture', owner.picture
        ) as owner,
        shown.item_count, shown.created_at, shown.updated_at
      from (${counted}) shown
      join accounts owner on owner.id = shown.account_id
      where shown.item_count > 0
      order by shown.updated_at desc, shown.id
      offset ${offset} limit ${limit}`.execute(db),
    sql<{
      total: number
    }>`select count(*) as total from (${counted}) shown where shown.item_count > 0`.execute(db),
  ])
  return { collections: rows, total: totals[0]?.total ?? 0 }
}

/** A work whose cover stands for a collection. */
export type MosaicWork = {
  work_id: number
  kind: WorkKind
  work: { name: string; trans_name: string | null; image: MosaicImage | null } | null
}
type MosaicImage = {
  url: string
  width: number | null
  height: number | null
  sexual: number
  violence: number
}

/** Covers of one mosaic. */
const MOSAIC = 4

/**
 * The first works of each of a reader's collections, by the ids of these.
 *
 * @param ids collections that the looker may see
 */
export async function listCoverMosaics(
  db: Database,
  accountId: number,
  ids: readonly number[],
  seesNsfw: boolean,
): Promise<Map<number, MosaicWork[]>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<MosaicWork & { collection_id: number }>`
    select collection.id as collection_id, first.*
    from collections collection
    cross join lateral (
      select item.work_id, work.kind, ${sql.raw(workRef('work.id', 'work.kind'))} as work
      from collection_items item
      join works work on work.id = item.work_id
      where ${itemsOf({ seesNsfw })}
      order by ${ITEM_ORDERS.position}
      limit ${MOSAIC}
    ) first
    where collection.account_id = ${accountId} and collection.id = any(${[...ids]})`.execute(db)
  return Map.groupBy(rows, ({ collection_id }) => collection_id)
}
