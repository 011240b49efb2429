import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { absolutePictureUrl } from '../uploads/upload-path.ts'
import {
  itemCount,
  publicCollectionById,
  publicCollectionsContaining,
} from './items/item-sql-fragments.ts'
import type { PublicCollection } from './schemas.ts'

/** A row of `PublicCollection`, its times yet to be written as text. */
type CollectionRow = Omit<PublicCollection, 'created_at' | 'updated_at'> & {
  created_at: Date
  updated_at: Date
}

/** The same as pages need it, to name the one that its owner began with in the looker's language. */
export type PublicCollectionRow = CollectionRow & { is_default: boolean }

/** @returns undefined when there is none, it is private, or its owner is banned */
export async function findPublicCollection(
  db: Database,
  id: number,
  seesNsfw: boolean,
): Promise<PublicCollectionRow | undefined> {
  const { rows } = await sql<PublicCollectionRow>`
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
    from collections collection
    join accounts owner on owner.id = collection.account_id
    where ${publicCollectionById(id)}
  `.execute(db)
  return rows[0]
}

/** The same for programs, which take no path of ours for a picture. */
export const toPublicCollection = (
  { id, name, description, owner, item_count, created_at, updated_at }: PublicCollectionRow,
  authUrl: string,
): CollectionRow => {
  const picture = owner.picture === null ? null : absolutePictureUrl(owner.picture, authUrl)
  return { id, name, description, owner: { ...owner, picture }, item_count, created_at, updated_at }
}

/** A collection as the page of a work in it names it. */
export type ContainingPublicCollection = {
  id: number
  name: string
  is_default: boolean
  owner: string
  owner_id: number
  item_count: number
}

/** The public collections that a work is in, the largest first. */
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
