import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { ALL_COLUMNS } from '../../sources/records/columns.ts'
import { LINK_TABLES } from '../records/link-tables.ts'
import type { Source } from '../../sources/records/record.ts'
import { RECORD_KINDS, type RecordKind } from '../../sources/records/record-kinds.ts'

/** What an import would take away of a kind's entries (`galgame`), or of one of their lists or fields (`galgame.staff`). */
export type Shrink = { what: string; before: number; lost: number }

/** An import may take away this share without being asked, */
const MAX_SHARE = 0.05
/** and that many where this is more: the share says little of a small catalog. */
const MAX_LOST = 5

/** The voices within a cast are counted by themselves: they come from a table of their own. */
const ACTORS = `jsonb_build_object('actors', jsonb_path_query_array(record.links, '$.characters[*].actors[*]'))`
/** Mentions are evidence for review that the catalog does not show, so their loss is not counted. */
const saidBy = (record: string) =>
  sql.raw(
    `(${record}.fields || (${record}.links - 'mentions') || ${ACTORS.replace('record.', `${record}.`)})`,
  )

/** How much a value is: of a list its items, of none nothing. */
const amountOf = (value: string) =>
  sql.raw(
    `case when ${value} is null then 0 when jsonb_typeof(${value}) = 'array' then jsonb_array_length(${value}) else 1 end`,
  )

/** The names that `--allow-shrink` takes. */
export function shrinkNames(): Set<string> {
  // as: the keys of that very table
  const kinds = Object.keys(RECORD_KINDS) as RecordKind[]
  const fields = kinds.flatMap((kind) =>
    Object.keys(ALL_COLUMNS[kind]).map((field) => `${kind}.${field}`),
  )
  const lists = LINK_TABLES.map(({ kind, list }) => `${kind}.${list}`)
  return new Set([
    ...kinds,
    ...fields,
    ...lists,
    'galgame.actors',
    'light_novel.volumes',
    'manga.volumes',
  ])
}

/**
 * What would go that an earlier import of the source has brought, by comparing `staged` with `source_records`: only what
 * is more than may go unasked.
 *
 * @param isWhole whether a record that is not staged has vanished
 */
export async function findShrinks(
  trx: Database,
  source: Source,
  isWhole: boolean,
): Promise<Shrink[]> {
  const losses = await findLosses(trx, source, isWhole)
  const large = losses.filter(({ lost }) => lost > MAX_LOST)
  // Counting all there is reads every record: only where something may be refused.
  if (large.length === 0) return []
  const totals = await countSaid(trx, source)
  return large
    .map(({ what, lost }) => ({ what, lost, before: totals.get(what) ?? lost }))
    .filter(({ before, lost }) => lost > before * MAX_SHARE)
    .toSorted((one, other) => (one.what < other.what ? -1 : 1))
}

/**
 * How many records are gone, and of those that read differently now: what they said before and do not say any more. What
 * goes with a record that is gone is not counted again.
 */
async function findLosses(trx: Database, source: Source, isWhole: boolean) {
  const { rows } = await sql<{ what: string; lost: number }>`
    with compared as (
      select
        known.kind || '.' || said.key as what,
        ${amountOf('said.value')} - ${amountOf('(reads.now -> said.key)')} as lost
      from source_records known
      join staged on staged.kind = known.kind and staged.external_id = known.external_id
      cross join lateral (select ${saidBy('staged')} as now offset 0) reads
      cross join jsonb_each(${saidBy('known')}) said
      where known.source = ${source}
        and known.hash is distinct from staged.hash
        and (staged.fields <> known.fields or staged.links <> known.links)
    )
    -- What other records have more of makes up for nothing.
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

/** How much the source has said so far of everything. */
async function countSaid(trx: Database, source: Source): Promise<Map<string, number>> {
  const { rows } = await sql<{ what: string; total: number }>`
    select record.kind || '.' || said.key as what, sum(${amountOf('said.value')}) as total
    from source_records record
    cross join jsonb_each(${saidBy('record')}) said
    where record.source = ${source}
    group by record.kind, said.key
    union all
    select kind, count(*) from source_records where source = ${source} group by kind`.execute(trx)
  return new Map(rows.map(({ what, total }) => [what, total]))
}
