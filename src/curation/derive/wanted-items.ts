import { sql } from 'kysely'
import type { RecordKind } from '../../sources/records/record-kinds.ts'
import { sourceRank } from './source-ranks.ts'

/** SQL for the ids of one kind of work in `changed_works`. */
export const changedWorks = (kind: RecordKind) =>
  sql`select entry_id from changed_works where kind = ${kind}`

type Works = 'changed' | 'all'

/**
 * SQL for the list items of each work, from the most trusted source that has the list, with the entries they refer to.
 * `rank` orders lists that claim the same item.
 */
export const wantedItems = (
  works: Works,
  kind: RecordKind,
  list: string,
  targetKind: RecordKind,
) => sql`
  chosen as (
    select distinct on (record.entry_id)
      record.entry_id as owner_id,
      record.source,
      ${sourceRank('record.source')} as rank,
      record.external_id,
      record.links -> ${list} as items
    from source_records record
    where record.kind = ${kind}
      ${works === 'changed' ? sql`and record.entry_id in (${changedWorks(kind)})` : sql``}
      and jsonb_array_length(coalesce(record.links -> ${list}, '[]')) > 0
    order by record.entry_id, ${sourceRank('record.source')}, record.external_id collate "C"
  ),
  -- materialized, because otherwise all targets may be read for each work, which takes hours on a full catalog
  references_made as materialized (
    select chosen.owner_id, chosen.source, chosen.rank, chosen.external_id, item.value, item.ordinality
    from chosen cross join jsonb_array_elements(chosen.items) with ordinality item
  ),
  items as (
    select made.*, target.entry_id as target_id, target.external_id as ref
    from references_made made
    join source_records target
      on target.source = made.source and target.kind = ${targetKind} and target.external_id = made.value ->> 'ref'
  )`

/** SQL that updates the columns of an existing row if one of them differs. */
export const updateIfChanged = (alias: string, columns: string[]) => {
  const valuesIn = (table: string) =>
    sql.join(columns.map((column) => sql.ref(`${table}.${column}`)))
  return sql`
    (${sql.join(columns.map((column) => sql.ref(column)))}) = row (${valuesIn('excluded')})
    where (${valuesIn(alias)}) is distinct from (${valuesIn('excluded')})`
}
