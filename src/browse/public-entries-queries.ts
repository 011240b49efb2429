import { ENTRY_KINDS, type EntryKind } from '../catalog/kinds.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'

/** An entry that guests may see, and when it changed. */
export type MappedEntry = { id: number; changed_at: Date }

/** For each kind the end of an index, and not the whole table. */
const LAST_IDS = statement('browse.last_ids').returning<{ kind: EntryKind; last: number }>(`
  select kind, last
  from unnest($1::text[]) kind
  cross join lateral (
    select max(id) as last from listings listing where listing.kind = kind.kind and not nsfw
  ) found
  where last is not null`)

/** The greatest id of each kind that has entries for guests. */
export const listLastIds = (db: Database): Promise<{ kind: EntryKind; last: number }[]> =>
  queryRows(db, LAST_IDS, [ENTRY_KINDS])

const BETWEEN = statement('browse.between').returning<MappedEntry>(`
  select id, changed_at
  from listings
  where kind = $1 and id > $2 and id <= $3 and not nsfw
  order by kind, id
  limit $4`)

/** Entries of a kind that guests may see, with ids behind one and up to another, by id. */
export const listEntriesBetween = (
  db: Database,
  kind: EntryKind,
  ids: { after: number; upTo: number },
  limit: number,
): Promise<MappedEntry[]> => queryRows(db, BETWEEN, [kind, ids.after, ids.upTo, limit])

const NEWEST = statement('browse.newest').returning<{
  kind: EntryKind
  id: number
  created_at: Date
}>(`
  select work.kind, work.id, work.created_at
  from works work
  join listings listing on listing.kind = work.kind and listing.id = work.id
  where not listing.nsfw
  order by work.id desc
  limit $1`)

/** The works that came into the catalog last, of those that guests may see. */
export const listNewestWorks = (db: Database, limit: number) => queryRows(db, NEWEST, [limit])
