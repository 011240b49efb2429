import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Reads } from '../db/replicas/reads.ts'
import type { ApiError } from '../http/wire/errors/errors.ts'
import { merged, notFound } from '../http/wire/errors/refusals.ts'
import type { EntryKind } from './kinds.ts'

const MERGED = statement('catalog.merged').returning<{ id: number; merged_into: number }>(`
  select merged.id, merged.merged_into
  from merged_entries merged
  left join works work on work.id = merged.merged_into and work.kind = merged.kind
  where merged.kind = $1 and merged.id = any($2::bigint[]) and ($3 or work.nsfw is not true)`)

/**
 * Returns the ids that were merged, each with the id of its target.
 *
 * @param seesNsfw if false, merges into nsfw works are hidden
 */
export async function findMerged(
  db: Reads,
  kind: EntryKind,
  ids: number[],
  seesNsfw: boolean,
): Promise<Map<number, number>> {
  const rows = await queryRows(db, MERGED, [kind, ids, seesNsfw])
  return new Map(rows.map(({ id, merged_into }) => [id, merged_into]))
}

/**
 * Returns the error for a missing entry: merged into another, or not found.
 *
 * @param seesNsfw if false, merges into nsfw works are hidden
 */
export async function missingEntryError(
  db: Reads,
  kind: EntryKind,
  id: number,
  seesNsfw: boolean,
): Promise<ApiError> {
  const merged_into = (await findMerged(db, kind, [id], seesNsfw)).get(id)
  if (merged_into === undefined) return notFound()
  return merged(merged_into)
}
