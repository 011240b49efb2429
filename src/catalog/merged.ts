import { ask } from '../db/ask.ts'
import type { Database } from '../db/database.ts'
import { ApiError, notFound } from '../http/errors.ts'

export type EntryKind = 'galgame' | 'light_novel' | 'manga' | 'person' | 'producer' | 'character'

const MERGED = `
  select merged.merged_into, coalesce(work.nsfw, false) as nsfw
  from merged_entries merged
  left join works work on work.id = merged.merged_into and work.kind = merged.kind
  where merged.kind = $1 and merged.id = $2`

/**
 * Why an entry is not there: it was merged into another, or there is no such entry.
 *
 * @param seesNsfw without it, a merge into an nsfw work is not told
 */
export async function whyMissing(
  db: Database,
  kind: EntryKind,
  id: number,
  seesNsfw: boolean,
): Promise<ApiError> {
  const [merged] = await ask<{ merged_into: number; nsfw: boolean }>(db, MERGED, [kind, id])
  if (!merged || (merged.nsfw && !seesNsfw)) return notFound()
  return new ApiError('WIKI_RESOURCE_MERGED', `This entry was merged into ${merged.merged_into}.`, {
    details: { merged_into: merged.merged_into },
  })
}
