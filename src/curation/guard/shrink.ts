import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { ALL_COLUMNS } from '../../sources/records/columns.ts'
import { LINK_TABLES } from '../records/link-tables.ts'
import type { Source } from '../../sources/records/record.ts'
import { RECORD_KIND_NAMES } from '../../sources/records/record-kinds.ts'

/** Loss of entries (`galgame`), or of list items or field values (`galgame.staff`). */
export type Shrink = { what: string; before: number; lost: number }

/** Maximum share of entries, items or values that an import may remove. */
const MAX_LOST_SHARE = 0.05
/**
 * Number of entries, items or values that an import may always remove, because a share means little in a small catalog.
 */
const MAX_LOST = 5

/** SQL for the voice actors of a record, which are counted separately because they have a separate table. */
const ACTORS = `jsonb_build_object('actors', jsonb_path_query_array(record.links, '$.characters[*].actors[*]'))`
/**
 * SQL for the fields and lists of a record. Mentions are excluded: they are evidence for review that the catalog does
 * not show, so losing them does not matter.
 */
const contentOf = (record: string) =>
  sql.raw(
    `(${record}.fields || (${record}.links - 'mentions') || ${ACTORS.replace('record.', `${record}.`)})`,
  )

/** SQL for the number of items in a list; 1 for any other value, and 0 without a value. */
const amountOf = (value: string) =>
  sql.raw(
    `case when ${value} is null then 0 when jsonb_typeof(${value}) = 'array' then jsonb_array_length(${value}) else 1 end`,
  )

/** Returns the names that `--allow-shrink` accepts. */
export function shrinkNames(): Set<string> {
  const fields = RECORD_KIND_NAMES.flatMap((kind) =>
    Object.keys(ALL_COLUMNS[kind]).map((field) => `${kind}.${field}`),
  )
  const lists = LINK_TABLES.map(({ kind, list }) => `${kind}.${list}`)
  return new Set([
    ...RECORD_KIND_NAMES,
    ...fields,
    ...lists,
    'galgame.actors',
    'light_novel.volumes',
    'manga.volumes',
  ])
}

/**
 * Returns the losses that exceed the allowed limits, by comparing `staged` with `source_records`.
 *
 * @param isWhole true if a record that is not staged has disappeared from the source
 */
export async function findShrinks(
  trx: Database,
  source: Source,
  isWhole: boolean,
): Promise<Shrink[]> {
  const losses = await findLosses(trx, source, isWhole)
  const large = losses.filter(({ lost }) => lost > MAX_LOST)
  // Counting reads every record, so it is done only if the import might be rejected.
  if (large.length === 0) return []
  const totals = await countContent(trx, source)
  return large
    .map(({ what, lost }) => ({ what, lost, before: totals.get(what) ?? lost }))
    .filter(({ before, lost }) => lost > before * MAX_LOST_SHARE)
    .toSorted((a, b) => (a.what < b.what ? -1 : 1))
}

/**
 * Returns the number of vanished records and, for changed records, the numbers of lost items and values. The content
 * of vanished records is not counted again.
 */
async function findLosses(trx: Database, source: Source, isWhole: boolean) {
  const { rows } = await sql<{ what: string; lost: number }>`
    with compared as (
      select
        known.kind || '.' || content.key as what,
        ${amountOf('content.value')} - ${amountOf('(reads.now -> content.key)')} as lost
      from source_records known
      join staged on staged.kind = known.kind and staged.external_id = known.external_id
      cross join lateral (select ${contentOf('staged')} as now offset 0) reads
      cross join jsonb_each(${contentOf('known')}) content
      where known.source = ${source}
        and known.hash is distinct from staged.hash
        and (staged.fields <> known.fields or staged.links <> known.links)
    )
    -- Gains of other records do not offset losses.
    select what, sum(lost) as lost from compared where lost > 0 group by what
    union all
    select known.kind, count(*)
    from source_records known
    where ${isWhole}
      and known.source = ${source}
      and not exists (
        select from staged where staged.kind = known.kind and staged.external_id = known.external_id
      )
    group by known.kind`.execute(trx)
  return rows
}

/** Returns the number of records, items and values of the source. */
async function countContent(trx: Database, source: Source): Promise<Map<string, number>> {
  const { rows } = await sql<{ what: string; total: number }>`
    select record.kind || '.' || content.key as what, sum(${amountOf('content.value')}) as total
    from source_records record
    cross join jsonb_each(${contentOf('record')}) content
    where record.source = ${source}
    group by record.kind, content.key
    union all
    select kind, count(*) from source_records where source = ${source} group by kind`.execute(trx)
  return new Map(rows.map(({ what, total }) => [what, total]))
}
