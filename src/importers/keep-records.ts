import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Source } from './record.ts'

export type KindCounts = { kind: string; created: number; changed: number; unchanged: number }

/**
 * Keeps the staged records as what the source says from now on.
 *
 * @returns counts by kind; `changed_entries`, a table of this transaction, names the entries to derive anew
 */
export async function keepRecords(trx: Database, source: Source): Promise<KindCounts[]> {
  await sql`create temporary table changed_entries (kind text, entry_id bigint, primary key (kind, entry_id)) on commit drop`.execute(
    trx,
  )
  await sql`
    with stored as (
      insert into source_records as known (source, kind, external_id, entry_id, fields, links)
      select ${source}, kind, external_id, entry_id, fields, links from staged
      on conflict (source, kind, external_id) do update
        set fields = excluded.fields, links = excluded.links, imported_at = now()
        where known.fields is distinct from excluded.fields or known.links is distinct from excluded.links
      returning kind, entry_id
    )
    insert into changed_entries select distinct kind, entry_id from stored`.execute(trx)
  await sql`
    insert into source_same_as (source, kind, external_id, other_source, other_external_id)
    select ${source}, staged.kind, staged.external_id, stated.source, stated.external_id
    from staged cross join jsonb_to_recordset(staged.same_as) as stated(source text, external_id text)
    on conflict do nothing`.execute(trx)
  const { rows } = await sql<KindCounts>`
    select
      staged.kind,
      count(*) filter (where staged.is_new) as created,
      count(*) filter (where not staged.is_new and changed.entry_id is not null) as changed,
      count(*) filter (where not staged.is_new and changed.entry_id is null) as unchanged
    from staged
    left join changed_entries changed on changed.kind = staged.kind and changed.entry_id = staged.entry_id
    group by staged.kind
    order by staged.kind`.execute(trx)
  return rows
}
