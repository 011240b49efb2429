import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { RecordKind } from '../records/record-kinds.ts'
import type { ListParts } from '../dump/tables/lists.ts'
import { ENTRY_TABLES, type EntryTable } from './tables.ts'
import type { Joined } from './times.ts'

/** All that is read of the entries of a table. */
export type EntryParts = {
  kind: RecordKind
  table: EntryTable
  lists: ListParts[]
  joined?: Joined
}

/**
 * Makes `dump_said_of_TABLE (n, id, hash)`: of every entry a hash of the rows that its record is made of, in their order; null
 * for an id that is there twice. Where an earlier import has kept a record with that hash, the entry is named in
 * `unchanged_records` and taken out of its table, so that nothing of it is read back or mapped.
 *
 * @param program what makes records of rows; null where nothing is kept, and nothing is known
 */
export async function leaveOutKnown(
  trx: Database,
  { kind, table, lists, joined }: EntryParts,
  program: string | null,
): Promise<void> {
  const said = sql.table(`dump_said_of_${table}`)
  const entries = sql.table(`dump_${table}`)
  if (program === null) {
    await sql`create temporary table ${said} (n integer, id text, hash uuid) on commit drop`.execute(
      trx,
    )
    return
  }
  const { columns, older } = ENTRY_TABLES[table]
  const own = [...columns, ...older].map((column) => sql.ref(`entry.${column}`))
  await sql`
    create temporary table ${said} on commit drop as
    select
      entry.n, entry.id,
      case when count(*) over (partition by entry.id) = 1 then md5(concat_ws(
        ' ', ${program}::text, listed.hash,
        row (
          ${sql.join(own)}, meta.id is not null, meta.created, meta.lastmod
          ${joined ? sql`, ${joined.columns}` : sql``}
        )::text
      ))::uuid end as hash
    from ${entries} entry
    left join dump_entry_meta meta on meta.id = entry.id
    ${joined?.joins ?? sql``}
    left join (
      select n, sum(hash) as hash from (${sql.join(lists.map(hashesOf), sql` union all `)}) item group by n
    ) listed on listed.n = entry.n`.execute(trx)
  await sql`
    insert into unchanged_records (source, kind, external_id, hash)
    select known.source, known.kind, known.external_id, known.hash
    from ${said} said
    join source_records known
      on known.source = 'vndb' and known.kind = ${kind} and known.external_id = said.id and known.hash = said.hash`.execute(
    trx,
  )
  await sql`
    delete from ${entries} entry
    using ${said} said, unchanged_records unchanged
    where said.n = entry.n and unchanged.kind = ${kind} and unchanged.external_id = said.id`.execute(
    trx,
  )
  await sql`analyze ${entries}, ${said}`.execute(trx)
}

/**
 * SQL: of the items of all parents a hash each, which tells list and place too: summed up they are one of the lists. That of a
 * record is a sum over its columns, which would not tell who stands at which place: so it is hashed once more.
 */
function hashesOf(
  { from, columns, dependsOn = [], where = sql`true` }: ListParts,
  list: number,
): RawBuilder<unknown> {
  const read = [...columns, ...dependsOn].map((column) => sql.ref(column))
  return sql`
    select
      parent.n,
      hashint8extended(
        hash_record_extended(
          row (${sql.lit(list)}, row_number() over (partition by parent.n order by item.n), ${sql.join(read)}), 0
        ), 0
      ) as hash
    from ${from}
    where ${where}`
}
