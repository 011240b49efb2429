import { sql } from 'kysely'
import { ENTRY_KINDS } from '../../src/catalog/kinds.ts'
import type { Database } from '../../src/db/database.ts'
import {
  importSource,
  type SourceImportOptions,
  type ImportSummary,
} from '../../src/curation/import-source.ts'
import { LINK_TABLES } from '../../src/curation/records/link-tables.ts'
import { RECORD_KINDS } from '../../src/sources/records/record-kinds.ts'
import type { Source, SourceRecord } from '../../src/sources/records/record.ts'

/** Tables an import may write, with the kind that each id column refers to. */
const TABLES: Record<string, string | undefined> = {
  works: undefined,
  ...Object.fromEntries(Object.entries(RECORD_KINDS).map(([kind, { table }]) => [table, kind])),
  ...Object.fromEntries(LINK_TABLES.map(({ table }) => [table, undefined])),
  galgame_character_actors: undefined,
  merged_entries: undefined,
  source_records: undefined,
  source_same_as: undefined,
  withdrawn_records: undefined,
  withdrawn_works: undefined,
}

/** Columns that refer to an entry, with its kind. */
const REFERENCES: Record<string, string> = {
  ...Object.fromEntries(ENTRY_KINDS.map((kind) => [`${kind}_id`, kind])),
  related_galgame_id: 'galgame',
}

const TIMESTAMP_FIELDS = new Set([
  'added_at',
  'created_at',
  'updated_at',
  'revised_at',
  'imported_at',
  'withdrawn_at',
])

export type Row = Record<string, unknown>

/** Returns a source's records as an importer passes them: a partial set unless marked complete. */
export async function importRecords(
  db: Database,
  source: Source,
  records: SourceRecord[],
  options: SourceImportOptions = { allowShrink: 'all' },
): Promise<ImportSummary> {
  return importSource(
    db,
    source,
    async function* () {
      yield* records
    },
    options,
  )
}

/**
 * Deletes every entry with its dependent rows and restarts the ids at 1. `truncate … cascade` creates new files for
 * each table, which takes forty times as long for a few rows.
 */
export async function emptyCatalog(db: Database) {
  await sql
    .raw(`
      do $$
      declare
        emptied record;
      begin
        -- Neither foreign keys nor the triggers that note changes have anything to do.
        set local session_replication_role = replica;
        for emptied in
          with recursive tables as (
            select unnest(array['works', 'people', 'producers', 'characters', 'merged_entries', 'source_records', 'withdrawn_records', 'matches', 'entry_merges', 'joined_volumes']::regclass[]) as id
            union
            select conrelid::regclass from pg_constraint join tables on confrelid = tables.id where contype = 'f'
          )
          select id as name, (
            select max(pg_get_serial_sequence(id::text, attname))
            from pg_attribute where attrelid = id and attidentity <> ''
          ) as numbers
          from tables
        loop
          execute format('delete from %s', emptied.name);
          if emptied.numbers is not null then
            perform setval(emptied.numbers, 1, false);
          end if;
        end loop;
        set local session_replication_role = default;
      end $$`)
    .execute(db)
}

/**
 * Returns the contents of the catalog, independent of ids and times: the rows of each table, with ids replaced by the
 * first `source:external_id` of the entry. Lists are ordered by owner and position, everything else is sorted.
 */
export async function readCatalog(db: Database): Promise<Record<string, Row[]>> {
  const { rows: records } = await sql<{ kind: string; entry_id: number; name: string }>`
    select kind, entry_id, min(source || ':' || external_id collate "C") as name
    from source_records group by kind, entry_id`.execute(db)
  const names = new Map(records.map(({ kind, entry_id, name }) => [`${kind} ${entry_id}`, name]))
  const named = (kind: unknown, id: unknown) => names.get(`${String(kind)} ${String(id)}`)

  const catalog: Record<string, Row[]> = {}
  for (const [table, idOf] of Object.entries(TABLES)) {
    const { rows } = await sql<{ row: Row }>`
      select row_to_json(entry) as row from ${sql.table(table)} entry`.execute(db)
    catalog[table] = rows
      .map(({ row }) =>
        Object.fromEntries(
          Object.entries(row)
            .filter(([column]) => !TIMESTAMP_FIELDS.has(column))
            .map(([column, value]) => {
              const kind =
                column === 'id' || column === 'entry_id'
                  ? (idOf ?? row['kind'])
                  : REFERENCES[column]
              return [column, kind === undefined ? value : named(kind, value)]
            }),
        ),
      )
      .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  }
  return catalog
}

/** Pads numbers to equal length, so that position 10 sorts after 9. */
const sortKey = (row: Row) =>
  JSON.stringify(row).replaceAll(/\d+/g, (digits) => digits.padStart(12, '0'))

/**
 * Returns the location and writing transaction of each row. Two equal results mean that nothing was written in between.
 */
export async function fingerprint(db: Database): Promise<string[]> {
  const prints: string[] = []
  for (const table of [...Object.keys(TABLES), 'change_signals']) {
    const { rows } = await sql<{ print: string }>`
      select ctid::text || ' ' || xmin::text as print from ${sql.table(table)} order by ctid`.execute(
      db,
    )
    prints.push(...rows.map(({ print }) => `${table} ${print}`))
  }
  return prints
}

/** Returns columns of a table's rows, with ids as `source:external_id`. */
export async function readColumns(
  db: Database,
  table: string,
  columns: string[],
): Promise<unknown[][]> {
  const rows = (await readCatalog(db))[table] ?? []
  return rows.map((row) => columns.map((column) => row[column]))
}
