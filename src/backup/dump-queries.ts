import { CompiledQuery } from 'kysely'
import { COPY_OUTPUT } from '../db/copy.ts'
import type { Database } from '../db/database.ts'
import { queryRow, queryRows, queryText } from '../db/query.ts'
import { withDeadline } from '../db/server/deadlines.ts'
import { statement } from '../db/statement.ts'
import { BackupError } from './backup-error.ts'
import { inlineObjects, type ReadUpload } from './inline-objects.ts'
import { DERIVED_TABLES } from './derived-tables.ts'
import { PART_BYTES, type Checksums, type Manifest, type TableSums } from './format.ts'
import type { BackupWriter } from './write-backup.ts'

/**
 * Sets the format in which values are written as text, and disables timeouts, because reading a large table takes a
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

export type Table = { name: string; columns: string[] }

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

/** Lists all tables with their columns, without generated ones. */
export const listAllTables = (db: Database): Promise<Table[]> => queryRows(db, LIST_TABLES, [])

/** Lists the tables of a backup with their columns, without generated ones. */
export async function listTables(db: Database): Promise<Table[]> {
  const tables = await listAllTables(db)
  return tables.filter(({ name }) => !Object.hasOwn(DERIVED_TABLES, name))
}

export const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')

/** Columns of uploaded pictures that a backup changes (`inlineObjects`). The hash of the bytes is another column. */
const INLINED = new Set(['bytes', 'object'])

/**
 * Counts the rows of a table and sums their hashes. Two tables with the same rows have the same sum, whatever the
 * order of the rows.
 */
export async function sumRows(
  db: Database,
  { name, columns }: Readonly<Table>,
): Promise<Pick<TableSums, 'rows' | 'sum'>> {
  // Backups of older versions have no objects.
  const hasObjects = name === 'uploads' && columns.includes('object')
  const summed = hasObjects ? columns.filter((column) => !INLINED.has(column)) : columns
  const [sums] = await queryText<Pick<TableSums, 'rows' | 'sum'>>(
    db,
    `select
      count(*) as rows,
      coalesce(sum(('x' || left(md5(saved_row::text), 16))::bit(64)::bigint::numeric), 0)::text as sum
    from (select ${quoted(summed)} from "${name}") saved_row`,
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

const SIZE = statement('backup.size').returning<{ blocks: number; has_long_values: boolean }>(`
  select
    pg_relation_size(oid::regclass) / current_setting('block_size')::integer as blocks,
    reltoastrelid <> 0 and pg_relation_size(reltoastrelid::regclass) > 0 as has_long_values
  from pg_class
  where oid = $1::text::regclass`)

export type DumpProgress = { table: string; tables: number; tablesDone: number; bytes: number }

export type DumpOptions = {
  version: string
  engine: Manifest['engine']
  /** Reads an uploaded picture that is in a bucket. */
  readUpload: ReadUpload
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
  { version, engine, readUpload, onProgress }: DumpOptions,
): Promise<Manifest> {
  const dump = async (trx: Database) => {
    await queryRows(trx, USE_TEXT_FORMAT, [])
    const tables = await listTables(trx)
    if (!tables.some(({ name }) => name === 'accounts'))
      throw new BackupError(
        'The database has no tables of mokuroku. Check DATABASE_URL and DATA_DIR.',
      )
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
      const parts = partsOf(trx, table)
      for await (const part of table.name === 'uploads'
        ? inlineObjects(parts, table.columns, readUpload)
        : parts) {
        await writer.addPart(part)
        bytes += part.length
        onProgress?.({ table: table.name, tables: tables.length, tablesDone, bytes })
      }
      writer.endTable(await sumRows(trx, table))
    }
    // Sequences are written after the rows, so that no sequence is behind its rows.
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

export const listSequences = (db: Database) =>
  queryRows(db, SEQUENCES, []).then((rows) => rows.map(({ name }) => name))

export async function findSequences(trx: Database): Promise<Checksums['sequences']> {
  const sequences: Checksums['sequences'] = {}
  for (const name of await listSequences(trx)) {
    const [state] = await queryText<Checksums['sequences'][string]>(
      trx,
      `select last_value::text as last, is_called from "${name}"`,
      [],
    )
    if (state) sequences[name] = state
  }
  return sequences
}

/** Row addresses of a block: at most 291 rows fit into 8 KiB. */
const SLOTS = 292
/** First number of row addresses that one statement reads. */
const FIRST_SLOTS = 16
/** Maximum number of row addresses if the table stores long values, which its number of blocks does not include. */
const MAX_LONG_SLOTS = 512

/** Returns the row address of a slot, counted over all blocks. */
const addressOf = (slot: number) => `(${Math.floor(slot / SLOTS)},${slot % SLOTS})`

/**
 * Reads a table in parts of whole rows. The embedded database returns the result of a statement as a whole, so each
 * statement reads a range of row addresses. The range adapts to the size of the results, which limits memory use.
 */
async function* partsOf(trx: Database, { name, columns }: Table): AsyncGenerator<Buffer> {
  const size = await queryRow(trx, SIZE, [`"${name}"`])
  const end = (size?.blocks ?? 0) * SLOTS
  const maxSlots = size?.has_long_values ? MAX_LONG_SLOTS : end
  let pending = Buffer.alloc(0)
  for (let from = 0, slots = FIRST_SLOTS; from < end;) {
    const to = Math.min(end, from + slots)
    const { rows } = await trx.executeQuery<{ bytes: Buffer }>(
      CompiledQuery.raw(
        `copy (select ${quoted(columns)} from "${name}" where ctid >= '${addressOf(from)}' and ctid < '${addressOf(to)}') to stdout`,
        [COPY_OUTPUT],
      ),
    )
    const bytes = rows[0]?.bytes ?? Buffer.alloc(0)
    from = to
    if (bytes.length < PART_BYTES / 2) slots = Math.min(maxSlots, slots * 2)
    else slots = Math.max(1, Math.floor((slots * PART_BYTES) / Math.max(PART_BYTES, bytes.length)))
    pending = Buffer.concat([pending, bytes])
    if (pending.length < PART_BYTES / 2) continue
    yield* splitRows(pending)
    pending = Buffer.alloc(0)
  }
  yield* splitRows(pending)
}

/** Splits rows into parts that end at a line break. */
export function* splitRows(bytes: Buffer): Generator<Buffer> {
  for (let start = 0, end; start < bytes.length; start = end) {
    const last = bytes.subarray(start, start + PART_BYTES).lastIndexOf(10)
    // A row may be longer than a part.
    end = 1 + (last === -1 ? bytes.indexOf(10, start) : start + last)
    yield bytes.subarray(start, end)
  }
}
