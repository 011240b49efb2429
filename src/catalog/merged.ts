import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import type { ApiError } from '../http/wire/errors/errors.ts'
import { merged, notFound } from '../http/wire/errors/refusals.ts'
import type { EntryKind } from './kinds.ts'

const MERGED = statement('catalog.merged').returning<{ id: number; merged_into: number }>(`
  select merged.id, merged.merged_into
  from merged_entries merged
  left join works work on work.id = merged.merged_into and work.kind = merged.kind
  where merged.kind = $1 and merged.id = any($2::bigint[]) and ($3 or work.nsfw is not true)`)

/**
 * Which of the entries were merged, and into which.
 *
 * @param seesNsfw without it, a merge into an nsfw work is as if there were none
 */
export async function findMerged(
  db: Database,
  kind: EntryKind,
  ids: number[],
  seesNsfw: boolean,
): Promise<Map<number, number>> {
  const rows = await queryRows(db, MERGED, [kind, ids, seesNsfw])
  return new Map(rows.map(({ id, merged_into }) => [id, merged_into]))
}

/**
 * Why an entry is not there: it was merged into another, or there is no such entry.
 *
 * @param seesNsfw without it, a merge into an nsfw work is as if there were none
 */
export async function whyMissing(
  db: Database,
  kind: EntryKind,
  id: number,
  seesNsfw: boolean,
): Promise<ApiError> {
  const merged_into = (await findMerged(db, kind, [id], seesNsfw)).get(id)
  if (merged_into === undefined) return notFound()
  return merged(merged_into)
}
