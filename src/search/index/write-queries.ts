import { runLongStatement } from '../../db/server/long-transaction.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { EntryKind } from '../../catalog/kinds.ts'
import { bucketOf } from './buckets.ts'
import { bucketKey } from './index-row.ts'
import { POPULARITY, sectionsOf } from './sections.ts'

/** SQL that inserts the buckets of rows in the sections `$1`. */
export const insertBucketsSql = (buckets: string) => `
  noted as (
    insert into search_buckets (section, bucket)
    select distinct section, bucket from unnest($1::smallint[], ${buckets}::integer[]) as written (section, bucket)
    on conflict do nothing
  )`

/**
 * Raises the memory limits of a transaction that writes many rows, so that the gram index merges new entries in large
 * batches.
 */
const WRITE_MANY = statement('search.write_many').sql(
  `select set_config('work_mem', '64MB', true), set_config('maintenance_work_mem', '192MB', true)`,
)
export const raiseWriteMemory = (trx: Database) => queryRows(trx, WRITE_MANY, [])

const FLUSH_PENDING = `
  select gin_clean_pending_list('search_entries_by_gram'), gin_clean_pending_list('search_words_by_slip')`
/** Merges pending entries into the gram and typo indexes. Until then, every search scans the pending entries. */
export const flushPendingGrams = (db: Database) => runLongStatement(db, FLUSH_PENDING)

/** Updates the statistics of the index, from which searches estimate frequencies. */
export const analyzeIndex = (db: Database) =>
  runLongStatement(db, 'analyze search_entries, search_words')

type Row = { section: number; id: number; was: number; readers: number }

const PENDING_READERS = statement('search.due').returning<{ kind: EntryKind; id: number }>(
  'select kind, id from search_readers_due order by kind, id limit $1',
)
const READERS = statement('search.readers').returning<Row>(`
  with taken as (
    delete from search_readers_due due
    using unnest($1::text[], $2::bigint[]) as next (kind, id)
    where due.kind = next.kind and due.id = next.id
    returning due.kind, due.id
  )
  select entry.section, entry.id, entry.readers as was, ${POPULARITY} as readers
  from taken
  join listings listing on listing.kind = taken.kind and listing.id = taken.id
  join unnest($3::text[], $4::smallint[]) as section (kind, number) on section.kind = taken.kind
  join search_entries entry on entry.section = section.number and entry.id = taken.id
  where entry.readers <> ${POPULARITY}`)
const SAVE_READERS = statement('search.save_readers').sql(`
  with ${insertBucketsSql('$6')}
  update search_entries entry
  set readers = changed.readers, grams = array_replace(entry.grams, changed.was, changed.becomes)
  from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::integer[], $5::integer[])
    as changed (section, id, readers, was, becomes)
  where entry.section = changed.section and entry.id = changed.id`)

/**
 * Copies pending changes in the numbers of users from the listings.
 *
 * @returns the number of changes, at most `limit`
 */
export async function saveReaders(trx: Database, limit: number): Promise<number> {
  const due = await queryRows(trx, PENDING_READERS, [limit])
  if (due.length === 0) return 0
  const kinds = [...new Set(due.map(({ kind }) => kind))]
  const numbers = kinds.flatMap((kind) => sectionsOf(kind).map((number) => ({ kind, number })))
  const rows = await queryRows(trx, READERS, [
    due.map(({ kind }) => kind),
    due.map(({ id }) => id),
    numbers.map(({ kind }) => kind),
    numbers.map(({ number }) => number),
  ])
  await queryRows(trx, SAVE_READERS, [
    rows.map(({ section }) => section),
    rows.map(({ id }) => id),
    rows.map(({ readers }) => readers),
    rows.map(({ section, id, was }) => bucketKey(section, was, id)),
    rows.map(({ section, id, readers }) => bucketKey(section, readers, id)),
    rows.map(({ id, readers }) => bucketOf(readers, id)),
  ])
  return due.length
}
