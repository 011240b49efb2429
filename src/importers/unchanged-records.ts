import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/**
 * Makes `unchanged_records`, a table of this transaction, for a reader that can tell which records of its source say what they
 * said at the last import: it names them there and does not yield them.
 *
 * @returns false in a database without a schema, where dumps are only read
 */
export async function makeUnchanged(trx: Database): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass('source_records') is not null as found`.execute(trx)
  if (!rows[0]?.found) return false
  await sql`
    create temporary table unchanged_records (
      source text not null, kind text not null, external_id text not null, hash uuid not null
    ) on commit drop`.execute(trx)
  return true
}

/**
 * Adds the unchanged records, if the reader has named any, to `staged`: with what they are the same as, and without
 * documents, which nobody looks at where the hash is the one that is kept.
 *
 * @param after the last ordinal of the others
 * @returns how many
 */
export async function stageUnchanged(trx: Database, after: number): Promise<number> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass('pg_temp.unchanged_records') is not null as found`.execute(trx)
  if (!rows[0]?.found) return 0
  const { numAffectedRows } = await sql`
    insert into staged (ordinal, kind, external_id, fields, links, same_as, hash)
    select
      ${after}::bigint + row_number() over (order by unchanged.kind, unchanged.external_id collate "C"),
      unchanged.kind, unchanged.external_id, '{}', '{}',
      coalesce(stated.same_as, '[]'), unchanged.hash
    from unchanged_records unchanged
    left join (
      select
        source, kind, external_id,
        jsonb_agg(jsonb_build_object('source', other_source, 'external_id', other_external_id)) as same_as
      from source_same_as
      where source in (select source from unchanged_records)
      group by source, kind, external_id
    ) stated using (source, kind, external_id)`.execute(trx)
  return Number(numAffectedRows ?? 0)
}
