import { sql } from 'kysely'
import { ENTRY_KINDS, isWorkKind, KINDS, type EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import type { Source } from '../../sources/records/record.ts'

type CountOf = Map<string, number>

/**
 * Removes the staged records from the withdrawn ones.
 *
 * @returns the numbers of returned records by kind
 */
export async function restoreReturned(trx: Database, source: Source): Promise<CountOf> {
  const { rows } = await sql<{ kind: string; count: number }>`
    with returned as (
      delete from withdrawn_records withdrawn
      using staged
      where withdrawn.source = ${source}
        and withdrawn.kind = staged.kind
        and withdrawn.external_id = staged.external_id
      returning withdrawn.kind
    )
    select kind, count(*) from returned group by kind`.execute(trx)
  if (rows.length > 0) {
    const { rows: returned } = await sql<{ id: number }>`
      delete from withdrawn_works gone
      where exists (
        select from source_records record
        where record.kind = gone.kind and record.entry_id = gone.id and not is_local_edit(record)
      )
      returning gone.id`.execute(trx)
    await setWithdrawn(trx, returned, false)
  }
  return new Map(rows.map(({ kind, count }) => [kind, count]))
}

/**
 * Withdraws the records of a source that are not staged and adds their entries to `changed_entries`. Entries without
 * any source leave the catalog.
 *
 * @returns the numbers of withdrawn records by kind
 */
export async function withdrawMissing(trx: Database, source: Source): Promise<CountOf> {
  const { rows } = await sql<{ kind: string; count: number }>`
    with vanished as (
      delete from source_records record
      where record.source = ${source}
        and not exists (
          select from staged where staged.kind = record.kind and staged.external_id = record.external_id
        )
      returning *
    ), withdrawn as (
      insert into withdrawn_records (source, kind, external_id, entry_id, fields, links)
      select source, kind, external_id, entry_id, fields, links from vanished
      order by kind, external_id
    ), noted as (
      insert into changed_entries (kind, entry_id)
      select distinct kind, entry_id from vanished
      on conflict do nothing
    )
    select kind, count(*) from vanished group by kind`.execute(trx)
  const counts = new Map(rows.map(({ kind, count }) => [kind, count]))
  for (const kind of ENTRY_KINDS) if (counts.has(kind)) await deleteUnsourcedEntries(trx, kind)
  return counts
}

/**
 * Deletes the changed entries that no source has any more, even if they have values set by hand. Works stay in
 * `withdrawn_works` for the users who have rated or collected them.
 */
async function deleteUnsourcedEntries(trx: Database, kind: EntryKind) {
  const { table } = KINDS[kind]
  const unsourced = sql`
    select changed.entry_id from changed_entries changed
    where changed.kind = ${kind}
      and not exists (
        select from source_records record
        where record.kind = changed.kind and record.entry_id = changed.entry_id and not is_local_edit(record)
      )`
  if (isWorkKind(kind)) {
    const { title, translated, day } = KINDS[kind].shown
    const { rows } = await sql<{ id: number }>`
      insert into withdrawn_works (id, kind, name, trans_name, day, covers)
      select id, ${kind}, ${sql.ref(title)}, ${sql.ref(translated)}, ${sql.ref(day)}, covers
      from ${sql.table(table)}
      where id in (${unsourced})
      order by id
      on conflict (id) do nothing
      returning id`.execute(trx)
    await setWithdrawn(trx, rows, true)
  }
  await sql`delete from ${sql.table(table)} where id in (${unsourced})`.execute(trx)
}

async function setWithdrawn(trx: Database, works: { id: number }[], withdrawn: boolean) {
  await sql`
    update work_refs set withdrawn = ${withdrawn} where id = any(${works.map(({ id }) => id)}::bigint[])`.execute(
    trx,
  )
}
