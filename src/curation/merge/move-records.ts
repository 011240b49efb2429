import { sql } from 'kysely'
import { ENTRY_KINDS, KINDS, WORK_KINDS, type EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'

export type PlannedMerge = { kind: string; from: number; into: number; rule: string }

/** Fills the temporary table `joining`. */
export async function stageMerges(trx: Database, joinings: PlannedMerge[]): Promise<void> {
  await createTemporaryTable(trx, 'joining')`
    select kind, from_id, into_id, rule
    from unnest(
      ${joinings.map(({ kind }) => kind)}::text[],
      ${joinings.map(({ from }) => from)}::bigint[],
      ${joinings.map(({ into }) => into)}::bigint[],
      ${joinings.map(({ rule }) => rule)}::text[]
    ) joining (kind, from_id, into_id, rule)`
}

/** Returns the table with the timestamps of an entry. Deleting the row in that table deletes the entry. */
export const tableWithTimes = (kind: EntryKind) =>
  KINDS[kind].isWork ? 'works' : KINDS[kind].table

/**
 * Stores the pairs in `joining` that are merges: those whose entries existed before this transaction. Other entries
 * leave no trace.
 */
export async function recordMerges(trx: Database): Promise<void> {
  await sql`drop table if exists known_joining`.execute(trx)
  await sql`
    create temporary table known_joining (
      kind text, from_id bigint, into_id bigint, rule text, entry jsonb
    ) on commit drop`.execute(trx)
  for (const kind of ENTRY_KINDS)
    await sql`
      insert into known_joining
      select joining.kind, joining.from_id, joining.into_id, joining.rule, to_jsonb(timed)
      from joining
      join ${sql.table(tableWithTimes(kind))} timed on timed.id = joining.from_id
      where joining.kind = ${kind}`.execute(trx)
  await sql`
    insert into entry_merges (kind, from_id, into_id, rule, records, entry)
    select
      joining.kind, joining.from_id, joining.into_id, joining.rule,
      coalesce(
        (
          select jsonb_agg(jsonb_build_object('source', record.source, 'external_id', record.external_id) order by record.source, record.external_id)
          from source_records record
          where record.kind = joining.kind and record.entry_id = joining.from_id
        ),
        '[]'
      ),
      joining.entry
    from known_joining joining
    order by joining.kind, joining.from_id`.execute(trx)
}

/**
 * Merges each pair in `joining`: moves the records of `from_id` to `into_id`, and redirects the ids of recorded
 * merges. Call it after moving user data. Adds the affected entries and works to `changed_entries`, which must exist.
 */
export async function moveRecords(trx: Database): Promise<void> {
  await sql`
    insert into changed_entries
    select kind, from_id from joining
    union select kind, into_id from joining
    union
    select credited.work_kind, credited.work_id
    from joining join credited_works credited on credited.kind = joining.kind and credited.id = joining.from_id
    union
    select 'galgame', relation.galgame_id
    from joining
    join galgame_relations relation on joining.kind = 'galgame' and relation.related_galgame_id = joining.from_id
    on conflict do nothing`.execute(trx)
  await sql`
    update source_records record set entry_id = joining.into_id
    from joining
    where record.kind = joining.kind and record.entry_id = joining.from_id`.execute(trx)
  await sql`
    update merged_entries earlier set merged_into = joining.into_id
    from joining
    where earlier.kind = joining.kind and earlier.merged_into = joining.from_id`.execute(trx)
  await sql`
    insert into merged_entries (kind, id, merged_into)
    select kind, from_id, into_id from known_joining order by kind, from_id
    on conflict (kind, id) do update set merged_into = excluded.merged_into, merged_at = now()`.execute(
    trx,
  )
  await sql`
    delete from work_refs work
    using known_joining joining
    where joining.kind in (${sql.join(WORK_KINDS.map((kind) => sql.lit(kind)))}) and work.id = joining.from_id`.execute(
    trx,
  )
  for (const kind of ENTRY_KINDS)
    await sql`
      delete from ${sql.table(tableWithTimes(kind))} entry
      using known_joining joining
      where joining.kind = ${kind} and entry.id = joining.from_id`.execute(trx)
  await addToChangeFeed(trx, sql`select kind, into_id from joining`)
}

/** Queues the given entries, and the works that list the entry `from`, to be derived after records have left `from`. */
export async function queueSplit(
  trx: Database,
  kind: EntryKind,
  ids: number[],
  from: number,
): Promise<void> {
  await sql`
    insert into changed_entries
    select ${kind}, unnest(${ids}::bigint[])
    union
    select work_kind, work_id from credited_works where kind = ${kind} and id = ${from}
    union
    select 'galgame', galgame_id from galgame_relations where ${kind} = 'galgame' and related_galgame_id = ${from}
    on conflict do nothing`.execute(trx)
  await addToChangeFeed(trx, sql`select ${kind}, ${from}::bigint`)
}

/**
 * Adds to the change feed the entries whose ids at other sites have changed. No row of the entries themselves shows
 * that change.
 */
async function addToChangeFeed(trx: Database, entries: ReturnType<typeof sql>): Promise<void> {
  await sql`
    insert into catalog_changes_due (resource_type, resource_id)
    select entry.resource_type, entry.resource_id
    from (select distinct * from (${entries}) listed) named (kind, id)
    join catalog_entries entry on entry.resource_type = named.kind and entry.resource_id = named.id
    order by entry.resource_type, entry.resource_id
    on conflict (resource_type, resource_id, transaction_id) do nothing`.execute(trx)
}
