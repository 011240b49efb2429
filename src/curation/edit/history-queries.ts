import type { EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Source } from '../../sources/records/record.ts'

/** A record that an entry is derived from. */
export type HistoryRecord = {
  source: Source
  external_id: string
  /** When an import or a moderator last changed the record. */
  imported_at: Date
  /** Names of the fields that moderators have set; empty for records of sources. */
  fields: string[]
}

/** One line of an entry’s history. `merged_id` is the entry that was merged into it; null for other changes. */
export type HistoryChange = { at: Date; is_removal: boolean; merged_id: number | null }

export type EntryHistory = { records: HistoryRecord[]; changes: HistoryChange[] }

const RECORDS = statement('curation.history_records').returning<HistoryRecord>(`
  select
    record.source, record.external_id, record.imported_at,
    case
      when is_local_edit(record)
      then array(select name from jsonb_object_keys(record.fields) names (name) order by name)
      else '{}'::text[]
    end as fields
  from source_records record
  where record.kind = $1 and record.entry_id = $2
  order by record.source = 'local' desc, record.imported_at desc, record.source, record.external_id`)

/** Omits changes that only clients without access to adult works see: the entry itself did not change. */
const CHANGES = statement('curation.history_changes').returning<HistoryChange>(`
  select change.at, change.is_removal, change.merged_id
  from (
    select feed.created_at as at, feed.kind = 'DELETE' as is_removal, null::bigint as merged_id
    from catalog_changes feed
    where feed.resource_type = $1 and feed.resource_id = $2 and feed.audience <> 'without_full'
    union all
    select merge.merged_at, false, merge.from_id
    from entry_merges merge
    where merge.kind = $1 and merge.into_id = $2 and merge.undone_at is null
  ) change
  order by change.at desc, change.merged_id nulls last
  limit $3`)

/** Maximum number of changes in the history of an entry. */
const MAX_CHANGES = 100

/** Returns where an entry's data comes from, and its last changes, the latest first. */
export async function findEntryHistory(
  db: Database,
  kind: EntryKind,
  id: number,
): Promise<EntryHistory> {
  const [records, changes] = await Promise.all([
    queryRows(db, RECORDS, [kind, id]),
    queryRows(db, CHANGES, [kind, id, MAX_CHANGES]),
  ])
  return { records, changes }
}
