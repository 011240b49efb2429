import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/**
 * Creates the temporary table `unchanged_records`. A reader adds records that are equal to those of the last import to
 * this table instead of yielding them.
 *
 * @returns false in a database without a schema, where dumps are only read
 */
export async function createUnchangedRecordsTable(trx: Database): Promise<boolean> {
  if (!(await tableExists(trx, 'source_records'))) return false
  await sql`
    create temporary table unchanged_records (
      source text not null, kind text not null, external_id text not null, hash uuid not null
    ) on commit drop`.execute(trx)
  return true
}

/**
 * Adds the rows of `unchanged_records`, if any, to `staged`. They need no documents, because records with the same
 * hash as in the last import are not compared.
 *
 * @param after last ordinal of the other records
 * @returns the number of added records
 */
export async function stageUnchanged(trx: Database, after: number): Promise<number> {
  if (!(await tableExists(trx, 'pg_temp.unchanged_records'))) return 0
  const { numAffectedRows } = await sql`
    insert into staged (ordinal, kind, external_id, fields, links, same_as, hash)
    select
      ${after}::bigint + row_number() over (order by kind, external_id collate "C"),
      kind, external_id, '{}', '{}', '[]', hash
    from unchanged_records`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

export async function tableExists(trx: Database, name: string): Promise<boolean> {
  const { rows } = await sql`select where to_regclass(${name}) is not null`.execute(trx)
  return rows.length > 0
}
