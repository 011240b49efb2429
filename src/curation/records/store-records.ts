import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'
import { createChangedEntries } from '../derive/changed-entries.ts'
import type { Source } from '../../sources/records/record.ts'
import { isNoLongerStated, stagedDiffers, statedIds } from './staged-differences.ts'

export type KindCounts = { kind: string; created: number; changed: number; unchanged: number }

/**
 * Stores the staged records of a source. Unchanged records are not written.
 *
 * @returns counts by kind; the temporary table `changed_entries` lists the entries to derive
 */
export async function storeRecords(trx: Database, source: Source): Promise<KindCounts[]> {
  await createChangedEntries(trx)
  await compareRecords(trx, source)
  await writeRecords(trx, source)
  await sql`
    insert into changed_entries
    select distinct kind, entry_id from compared_records where differs
    on conflict do nothing`.execute(trx)
  const { rows } = await sql<KindCounts>`
    select
      resolved.kind,
      count(*) filter (where resolved.is_new) as created,
      count(*) filter (where not resolved.is_new and compared.differs) as changed,
      count(*) filter (where not resolved.is_new and compared.differs is not true) as unchanged
    from resolved
    left join compared_records compared on compared.ordinal = resolved.ordinal
    group by resolved.kind
    order by resolved.kind`.execute(trx)
  return rows
}

/** Creates `compared_records`: staged records with a new hash, and for each whether its documents differ. */
async function compareRecords(trx: Database, source: Source) {
  await createTemporaryTable(trx, 'compared_records')`
    select
      staged.ordinal,
      staged.kind,
      resolved.entry_id,
      known.source is null as is_missing,
      known.source is null or ${stagedDiffers(source)} as differs
    from staged
    join resolved on resolved.ordinal = staged.ordinal
    left join source_records known
      on known.source = ${source} and known.kind = staged.kind and known.external_id = staged.external_id
    where known.hash is distinct from staged.hash`
}

async function writeRecords(trx: Database, source: Source) {
  await sql`
    update source_records known
    set
      fields = staged.fields,
      links = staged.links,
      hash = staged.hash,
      imported_at = case when compared.differs then now() else known.imported_at end
    from compared_records compared
    join staged on staged.ordinal = compared.ordinal
    where not compared.is_missing
      and known.source = ${source}
      and known.kind = staged.kind
      and known.external_id = staged.external_id`.execute(trx)
  await sql`
    insert into source_records (source, kind, external_id, entry_id, fields, links, hash)
    select ${source}, staged.kind, staged.external_id, compared.entry_id, staged.fields, staged.links, staged.hash
    from compared_records compared
    join staged on staged.ordinal = compared.ordinal
    where compared.is_missing
    order by staged.ordinal`.execute(trx)
  // Entries joined by an id that is no longer stated stay joined, because their ids are published. `unmerge` separates
  // them.
  await sql`
    delete from source_same_as kept
    using compared_records compared
    join staged on staged.ordinal = compared.ordinal
    where not compared.is_missing
      and ${isNoLongerStated(source)}`.execute(trx)
  await sql`
    insert into source_same_as (source, kind, external_id, other_source, other_external_id)
    select ${source}, staged.kind, staged.external_id, stated.source, stated.external_id
    from compared_records compared
    join staged on staged.ordinal = compared.ordinal
    cross join ${statedIds}
    where staged.same_as <> '[]'
    on conflict do nothing`.execute(trx)
}
