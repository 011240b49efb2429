import type { EntryKind } from '../catalog/kinds.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { summaryOf } from './listed-entry.ts'
import type { EntrySummary } from './summary.ts'

const SELECT = statement('browse.summary_select').returning<{ entry: EntrySummary | null }>(`
  select ${summaryOf('asked', '$2::boolean')} as entry
  from rows from (jsonb_to_recordset($1::jsonb) as (kind text, id bigint)) with ordinality as asked (kind, id, place)
  order by asked.place`)

/** What lists say of these entries, in their order; those that are not there are left out. Hidden ones are not: ask for what is shown. */
export async function listSummaries(
  db: Database,
  keys: { kind: EntryKind; id: number }[],
  seesNsfw: boolean,
): Promise<EntrySummary[]> {
  if (keys.length === 0) return []
  const asked = JSON.stringify(keys.map(({ kind, id }) => ({ kind, id })))
  const rows = await queryRows(db, SELECT, [asked, seesNsfw])
  return rows.flatMap(({ entry }) => entry ?? [])
}
