import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

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
 * Adds the unchanged records, if the reader has named any, to `staged`. They have no documents and no links, because records
 * with the hash of the last import are not compared any further.
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
      ${after}::bigint + row_number() over (order by kind, external_id collate "C"),
      kind, external_id, '{}', '{}', '[]', hash
    from unchanged_records`.execute(trx)
  return Number(numAffectedRows ?? 0)
}
