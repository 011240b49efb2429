import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { itemCount, publicCollection } from './item-sql-fragments.ts'
import type { PublicCollection } from './schemas.ts'

/** A row of `PublicCollection`, its times yet to be written as text. */
type Found = Omit<PublicCollection, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date }

/** @returns undefined when there is none, it is private, or its owner is banned */
export async function findPublicCollection(
  db: Database,
  id: number,
  seesNsfw: boolean,
): Promise<Found | undefined> {
  const { rows } = await sql<Found>`
    select
      collection.id,
      collection.name,
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
    where ${publicCollection(id)}
  `.execute(db)
  return rows[0]
}
