import type { EntryKind } from '../../catalog/kinds.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'

export type ListedMerge = {
  id: number
  kind: EntryKind
  from_id: number
  into_id: number
  rule: string
  merged_at: Date
  undone_at: Date | null
}

const LIST = statement('merging.list').returning<ListedMerge>(`
  select id, kind, from_id, into_id, rule, merged_at, undone_at
  from entry_merges
  where id < $1 and rule in ('operator', 'accepted')
  order by id desc
  limit $2`)

/**
 * Lists merges by operators, newest first, including undone ones.
 *
 * @param before id of the last merge on the previous page
 */
export const listMerges = (
  db: Database,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number | undefined; limit: number },
): Promise<ListedMerge[]> => queryRows(db, LIST, [before, limit])
