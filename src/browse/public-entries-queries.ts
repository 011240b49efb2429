import { ENTRY_KINDS, type EntryKind } from '../catalog/kinds.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Reads } from '../db/replicas/reads.ts'

/** An entry visible to guests, with the time of its latest change. */
export type SitemapEntry = { id: number; changed_at: Date }

/** Reads only the end of an index for each kind, not the whole table. */
const LAST_IDS = statement('browse.last_ids').returning<{ kind: EntryKind; last: number }>(`
  select kind, last
  from unnest($1::text[]) kind
  cross join lateral (
    select max(id) as last from listings listing where listing.kind = kind.kind and not nsfw
  ) found
  where last is not null`)

/** Returns the greatest id of each kind with entries visible to guests. */
export const listMaxIds = (db: Reads): Promise<{ kind: EntryKind; last: number }[]> =>
  queryRows(db, LAST_IDS, [ENTRY_KINDS])

const BETWEEN = statement('browse.between').returning<SitemapEntry>(`
  select id, changed_at
  from listings
  where kind = $1 and id > $2 and id <= $3 and not nsfw
  order by kind, id
  limit $4`)

/** Lists the entries of a kind visible to guests whose ids are in a range, ordered by id. */
export const listEntriesBetween = (
  db: Reads,
  kind: EntryKind,
  ids: { after: number; upTo: number },
  limit: number,
): Promise<SitemapEntry[]> => queryRows(db, BETWEEN, [kind, ids.after, ids.upTo, limit])

const NEWEST_SQL = `
  select work.kind, work.id, work.created_at
  from works work
  join listings listing on listing.kind = work.kind and listing.id = work.id
  where not listing.nsfw
  order by work.id desc
  limit $1`

const NEWEST = statement('browse.newest').returning<{
  kind: EntryKind
  id: number
  created_at: Date
}>(NEWEST_SQL)

/** Lists the works most recently added to the catalog, as visible to guests. */
export const listNewestWorks = (db: Reads, limit: number) => queryRows(db, NEWEST, [limit])

/** The first import takes less than a day. The works that it adds are not listed as new. */
const ADDED_LATER = statement('browse.added_later').returning<{ kind: EntryKind; id: number }>(`
  select newest.kind, newest.id
  from (${NEWEST_SQL}) newest
  where newest.created_at > (select first.created_at from works first order by first.id limit 1) + interval '1 day'
  order by newest.id desc`)

/** Lists the works most recently added after the first import, as visible to guests. May return fewer than `limit`. */
export const listWorksAddedLater = (db: Reads, limit: number) => queryRows(db, ADDED_LATER, [limit])

const IS_EMPTY = statement('browse.is_catalog_empty').returning<{ empty: boolean }>(
  'select not exists (select from works) as empty',
)

/** True if nothing has been imported yet. */
export async function isCatalogEmpty(db: Reads): Promise<boolean> {
  const [row] = await queryRows(db, IS_EMPTY, [])
  return row?.empty ?? true
}
