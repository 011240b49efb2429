import type { EntryKind } from '../../catalog/kinds.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'

/** Two entries that are one. */
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

/** What people have merged, the last first, undone ones too. @param before the id of the last of the page before */
export const listMerges = (
  db: Database,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number | undefined; limit: number },
): Promise<ListedMerge[]> => queryRows(db, LIST, [before, limit])
