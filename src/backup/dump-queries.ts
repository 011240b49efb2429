import { CompiledQuery } from 'kysely'
import { COPY_OUTPUT } from '../db/copy.ts'
import type { Database } from '../db/database.ts'
import { queryRow, queryRows, queryText } from '../db/query.ts'
import { withDeadline } from '../db/server/deadlines.ts'
import { statement } from '../db/statement.ts'
import { DERIVED_TABLES } from './derived-tables.ts'
import { PART_BYTES, type Checksums, type Manifest, type TableSums } from './format.ts'
import type { BackupWriter } from './write-backup.ts'

/**
 * Sets the format in which values are written as text, and disables time limits, because reading a large table takes a
 * while. Used by backups and restores, so that a row has the same text in both.
 */
export const USE_TEXT_FORMAT = statement('backup.text_format').sql(`
  select
    set_config('statement_timeout', '0', true),
    set_config('idle_in_transaction_session_timeout', '0', true),
    set_config('timezone', 'UTC', true),
    set_config('datestyle', 'ISO', true),
    set_config('intervalstyle', 'postgres', true),
    set_config('extra_float_digits', '1', true),
    set_config('bytea_output', 'hex', true)`)

type Table = { name: string; columns: string[] }

const LIST_TABLES = statement('backup.tables').returning<Table>(`
  select
    class.relname::text as name,
    array(
      select attribute.attname::text from pg_attribute attribute
      where attribute.attrelid = class.oid
        and attribute.attnum > 0
        and not attribute.attisdropped
        and attribute.attgenerated = ''
      order by attribute.attnum
    ) as columns
  from pg_class class
  where class.relkind = 'r' and class.relnamespace = current_schema()::regnamespace
  order by class.relname collate "C"`)

/** Lists the tables of a backup with their columns, without generated ones. */
export async function listTables(db: Database): Promise<Table[]> {
  const tables = await queryRows(db, LIST_TABLES, [])
  return tables.filter(({ name }) => !Object.hasOwn(DERIVED_TABLES, name))
}

export const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')

/**
 * Counts the rows of a table and sums their hashes. Two tables with the same rows have the same sum, whatever the
 * order of the rows.
 */
export async function sumRows(
  db: Database,
  { name, columns }: Readonly<Table>,
): Promise<Pick<TableSums, 'rows' | 'sum'>> {
  const [sums] = await queryText<Pick<TableSums, 'rows' | 'sum'>>(
    db,
    `select
      count(*) as rows,
      coalesce(sum(('x' || left(md5(saved_row::text), 16))::bit(64)::bigint::numeric), 0)::text as sum
    from (select ${quoted(columns)} from "${name}") saved_row`,
    [],
  )
  if (!sums) throw new Error(`Counting ${name} returned no row`)
  return sums
}

const FACTS = statement('backup.facts').returning<{
  taken_at: Date
  postgres: string
  last_change: number
}>(`
  select
    now()::timestamptz(3) as taken_at,
    current_setting('server_version') as postgres,
    (select coalesce(max(id), 0) from catalog_changes) as last_change`)

const MIGRATIONS = statement('backup.migrations').returning<{ name: string; hash: string }>(
  'select name, hash from migrations order by name',
)

/** Signing keys are bound to their id (`identity/tokens/keys.ts`). */
const SEALED = statement('backup.sealed').returning<{ bound_to: string; text: string }>(`
  select kid as bound_to, private_jwk as text from signing_keys
  where private_jwk like 'v1.%'
  order by created_at desc, kid
  limit 1`)

const SEQUENCES = statement('backup.sequences').returning<{ name: string }>(`
  select relname::text as name from pg_class
  where relkind = 'S' and relnamespace = current_schema()::regnamespace
  order by relname collate "C"`)

const BLOCKS = statement('backup.blocks').returning<{ blocks: number; bytes: number }>(`
  select
    pg_relation_size($1::text::regclass) / current_setting('block_size')::integer as blocks,
    pg_table_size($1::text::regclass) as bytes`)

export type DumpProgress = { table: string; tables: number; tablesDone: number; bytes: number }

export type DumpOptions = {
  version: string
  engine: Manifest['engine']
  onProgress?: ((progress: DumpProgress) => void) | undefined
}

/**
 * Writes all tables to a backup, as one transaction sees them.
 *
 * @returns the manifest
 */
export function dumpDatabase(
  db: Database,
  writer: BackupWriter,
  { version, engine, onProgress }: DumpOptions,
): Promise<Manifest> {
  const dump = async (trx: Database) => {
    await queryRows(trx, USE_TEXT_FORMAT, [])
    const tables = await listTables(trx)
    // Keeps migrations from changing a table before it is read.
    await queryText(
      trx,
      `lock table ${quoted(tables.map(({ name }) => name))} in access share mode`,
      [],
    )
    const manifest = await describeBackup(trx, tables, { version, engine })
    await writer.begin(manifest)
    let bytes = 0
    for (const [tablesDone, table] of tables.entries()) {
      writer.beginTable(table.name)
      for await (const part of partsOf(trx, table)) {
        await writer.addPart(part)
        bytes += part.length
        onProgress?.({ table: table.name, tables: tables.length, tablesDone, bytes })
      }
      writer.endTable(await sumRows(trx, table))
    }
    // Sequences are written after the rows, so that they are never behind them.
    await writer.end(await findSequences(trx))
    return manifest
  }
  return withDeadline(Infinity, () =>
    db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(dump),
  )
}

async function describeBackup(
  trx: Database,
  tables: Table[],
  { version, engine }: Pick<DumpOptions, 'version' | 'engine'>,
): Promise<Manifest> {
  const facts = await queryRow(trx, FACTS, [])
  if (!facts) throw new Error('Describing the database returned no row')
  return {
    format: 1,
    program: 'mokuroku',
    version,
    taken_at: facts.taken_at.toISOString(),
    engine,
    postgres: facts.postgres,
    migrations: await queryRows(trx, MIGRATIONS, []),
    last_change: facts.last_change,
    sealed: (await queryRow(trx, SEALED, [])) ?? null,
    tables,
  }
}

async function findSequences(trx: Database): Promise<Checksums['sequences']> {
  const sequences: Checksums['sequences'] = {}
  for (const { name } of await queryRows(trx, SEQUENCES, [])) {
    const [state] = await queryText<Checksums['sequences'][string]>(
      trx,
      `select last_value::text as last, is_called from "${name}"`,
      [],
    )
    if (state) sequences[name] = state
  }
  return sequences
}

/** Reads a table in parts of whole rows. */
async function* partsOf(trx: Database, { name, columns }: Table): AsyncGenerator<Buffer> {
  for (const [from, to] of await rangesOf(trx, name)) {
    const { rows } = await trx.executeQuery<{ bytes: Buffer }>(
      CompiledQuery.raw(
        `copy (select ${quoted(columns)} from "${name}" where ctid >= '${from}' and ctid < '${to}') to stdout`,
        [COPY_OUTPUT],
      ),
    )
    if (rows[0]) yield* splitRows(rows[0].bytes)
  }
}

/**
 * Returns ranges of row addresses that divide a table into pieces of about the size of a part. The embedded database
 * returns the result of a statement as a whole, so this bounds the memory.
 */
async function rangesOf(trx: Database, table: string): Promise<Iterable<[string, string]>> {
  const size = await queryRow(trx, BLOCKS, [`"${table}"`])
  return rangesOver(size?.blocks ?? 0, size?.bytes ?? 0)
}

/** Maximum number of rows in a block of 8 KiB. */
const ROWS_PER_BLOCK = 291

/** @param bytes size of the table, including large values stored outside its blocks */
export function* rangesOver(blocks: number, bytes: number): Generator<[string, string]> {
  const perBlock = bytes / Math.max(1, blocks)
  const rows = Math.max(1, Math.floor((ROWS_PER_BLOCK * PART_BYTES) / perBlock))
  if (rows >= ROWS_PER_BLOCK) {
    const step = Math.floor(rows / ROWS_PER_BLOCK)
    for (let block = 0; block < blocks; block += step) yield [`(${block},0)`, `(${block + step},0)`]
    return
  }
  for (let block = 0; block < blocks; block += 1)
    for (let row = 0; row <= ROWS_PER_BLOCK; row += rows)
      yield [
        `(${block},${row})`,
        row + rows > ROWS_PER_BLOCK ? `(${block + 1},0)` : `(${block},${row + rows})`,
      ]
}

/** Splits rows into parts that end at a line. */
export function* splitRows(bytes: Buffer): Generator<Buffer> {
  for (let start = 0, end; start < bytes.length; start = end) {
    const last = bytes.subarray(start, start + PART_BYTES).lastIndexOf(10)
    // A row may be longer than a part.
    end = 1 + (last === -1 ? bytes.indexOf(10, start) : start + last)
    yield bytes.subarray(start, end)
  }
}
