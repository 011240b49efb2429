import { randomInt } from 'node:crypto'
import type { EntryKind } from '../catalog/kinds.ts'
import { queryRows } from '../db/query.ts'
import type { Reads } from '../db/replicas/reads.ts'
import { statement } from '../db/statement.ts'

/** Number of entries after a random id among which one is chosen, so that gaps between ids matter less. */
const CANDIDATES = 16
/** Number of possible positions in the range of ids. */
const POSITIONS = 2 ** 32

/**
 * Lists the first entries of the kinds `$1` and visibilities `$2` from a position `$3` (0 to 1) in the range of ids. The
 * range begins before the first id, because the first entries are within reach of fewer positions.
 */
const NEAR = statement('browse.random').returning<{ kind: EntryKind; id: number }>(`
  with start as materialized (
    select floor($3::float8 * (max(last.id) + ${CANDIDATES}))::bigint - ${CANDIDATES - 1} as id
    from unnest($1::text[]) wanted (kind)
    cross join lateral (
      select listing.id from listings listing where listing.kind = wanted.kind order by listing.id desc limit 1
    ) last
  )
  select near.kind, near.id
  from unnest($1::text[]) wanted (kind)
  cross join lateral (
    select listing.kind, listing.id
    from listings listing
    where listing.kind = wanted.kind and listing.nsfw = any($2::boolean[]) and listing.id >= (select id from start)
    order by listing.kind, listing.id
    limit ${CANDIDATES}
  ) near
  order by near.id
  limit ${CANDIDATES}`)

/** Returns a random entry, in a time that does not depend on the number of entries; undefined in an empty catalog. */
export async function findRandomEntry(
  db: Reads,
  kinds: readonly EntryKind[],
  seesNsfw: boolean,
): Promise<{ kind: EntryKind; id: number } | undefined> {
  const visible = seesNsfw ? [false, true] : [false]
  const position = randomInt(POSITIONS) / POSITIONS
  const near = await queryRows(db, NEAR, [kinds, visible, position])
  // No visible entry may follow the position.
  const found = near.length > 0 ? near : await queryRows(db, NEAR, [kinds, visible, 0])
  return found.length === 0 ? undefined : found[randomInt(found.length)]
}
