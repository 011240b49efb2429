import type { EntryKind } from '../catalog/kinds.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Reads } from '../db/replicas/reads.ts'
import { type EntrySummary, entrySummarySql } from './summary.ts'

const SELECT = statement('browse.summary_select').returning<{ entry: EntrySummary | null }>(`
  select ${entrySummarySql('requested', '$2::boolean')} as entry
  from rows from (jsonb_to_recordset($1::jsonb) as (kind text, id bigint)) with ordinality as requested (kind, id, place)
  order by requested.place`)

/**
 * Lists the summaries of entries, in order, omitting missing entries. Does not check visibility: pass only entries
 * that the caller may see.
 */
export async function listSummaries(
  db: Reads,
  keys: { kind: EntryKind; id: number }[],
  seesNsfw: boolean,
): Promise<EntrySummary[]> {
  if (keys.length === 0) return []
  const requested = JSON.stringify(keys.map(({ kind, id }) => ({ kind, id })))
  const rows = await queryRows(db, SELECT, [requested, seesNsfw])
  return rows.flatMap(({ entry }) => entry ?? [])
}
