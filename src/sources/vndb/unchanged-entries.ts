import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ListParts } from '../dump/tables/lists.ts'
import type { EntryParts } from './entries.ts'
import { ENTRY_TABLES } from './tables.ts'

/**
 * Creates `dump_hashes_of_TABLE (n, id, hash)`: for each entry, a hash of all rows from which its record is made. The
 * hash is null for a repeated id. If the last import stored a record with the same hash, the entry is added to
 * `unchanged_records` and removed from its table, so that it is neither read back nor mapped.
 *
 * @param program hash of the program that maps rows to records, or null in a database without stored records
 */
export async function removeUnchanged(
  trx: Database,
  { kind, table, lists, joined }: EntryParts,
  program: string | null,
): Promise<void> {
  const hashes = sql.table(`dump_hashes_of_${table}`)
  const entries = sql.table(`dump_${table}`)
  if (program === null) {
    await sql`create temporary table ${hashes} (n integer, id text, hash uuid) on commit drop`.execute(
      trx,
    )
    return
  }
  const { columns, older } = ENTRY_TABLES[table]
  const own = [...columns, ...older].map((column) => sql.ref(`entry.${column}`))
  await sql`
    create temporary table ${hashes} on commit drop as
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
      select n, sum(hash) as hash from (${sql.join(Object.values(lists).map(hashesOf), sql` union all `)}) item group by n
    ) listed on listed.n = entry.n`.execute(trx)
  await sql`
    insert into unchanged_records (source, kind, external_id, hash)
    select known.source, known.kind, known.external_id, known.hash
    from ${hashes} seen
    join source_records known
      on known.source = 'vndb' and known.kind = ${kind} and known.external_id = seen.id and known.hash = seen.hash`.execute(
    trx,
  )
  await sql`
    delete from ${entries} entry
    using ${hashes} seen, unchanged_records unchanged
    where seen.n = entry.n and unchanged.kind = ${kind} and unchanged.external_id = seen.id`.execute(
    trx,
  )
  await sql`analyze ${entries}, ${hashes}`.execute(trx)
}

/**
 * SQL that hashes the items of all parents, including list and position, so that the sum of an entry's items is the
 * hash of all its lists. `hash_record` is itself a sum over the columns, which does not change if positions are
 * swapped, so its result is hashed again.
 */
function hashesOf(
  { from, columns, where = sql`true` }: ListParts,
  list: number,
): RawBuilder<unknown> {
  const read = Object.values<string>(columns).map((column) => sql.ref(column))
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
