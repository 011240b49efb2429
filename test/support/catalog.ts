import { sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import { importSource, type ImportSummary } from '../../src/importers/import-source.ts'
import type { Source, SourceRecord } from '../../src/importers/record.ts'

/** Every table an import may write, with what its id column stands for. */
const TABLES: Record<string, string | undefined> = {
  works: undefined,
  galgames: 'galgame',
  light_novels: 'light_novel',
  mangas: 'manga',
  people: 'person',
  producers: 'producer',
  characters: 'character',
  light_novel_volumes: 'light_novel_volume',
  manga_volumes: 'manga_volume',
  galgame_staff: undefined,
  galgame_characters: undefined,
  galgame_character_actors: undefined,
  galgame_producers: undefined,
  galgame_relations: undefined,
  light_novel_people: undefined,
  light_novel_producers: undefined,
  light_novel_characters: undefined,
  manga_people: undefined,
  manga_producers: undefined,
  manga_characters: undefined,
  merged_entries: undefined,
  source_records: undefined,
  source_same_as: undefined,
}

const REFERENCES: Record<string, string> = {
  galgame_id: 'galgame',
  related_galgame_id: 'galgame',
  light_novel_id: 'light_novel',
  manga_id: 'manga',
  person_id: 'person',
  producer_id: 'producer',
  character_id: 'character',
}

const TIMES = new Set(['created_at', 'updated_at', 'revised_at', 'imported_at'])

export type Row = Record<string, unknown>

/** A source's records as an importer brings them. */
export async function importRecords(
  db: Database,
  source: Source,
  records: SourceRecord[],
): Promise<ImportSummary> {
  return importSource(db, source, async function* () {
    yield* records
  })
}

export async function emptyCatalog(db: Database) {
  await sql`truncate works, people, producers, characters, merged_entries, source_records restart identity cascade`.execute(
    db,
  )
}

/**
 * What the catalog says, whatever ids and times it was given: table by table the rows, ids replaced by the first
 * `source:external_id` of the entry. Lists are in the order of owner and position, everything else is sorted.
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
            .filter(([column]) => !TIMES.has(column))
            .map(([column, value]) => {
              const kind =
                column === 'id' || column === 'entry_id' ? (idOf ?? row['kind']) : REFERENCES[column]
              return [column, kind === undefined ? value : named(kind, value)]
            }),
        ),
      )
      .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  }
  return catalog
}

/** Numbers of equal length, so that position 10 comes after 9. */
const sortKey = (row: Row) => JSON.stringify(row).replaceAll(/\d+/g, (digits) => digits.padStart(12, '0'))

/** Where every row stands and which transaction wrote it: the same twice means that nothing was written in between. */
export async function fingerprint(db: Database): Promise<string[]> {
  const prints: string[] = []
  for (const table of [...Object.keys(TABLES), 'change_signals']) {
    const { rows } = await sql<{ print: string }>`
      select ctid::text || ' ' || xmin::text as print from ${sql.table(table)} order by ctid`.execute(db)
    prints.push(...rows.map(({ print }) => `${table} ${print}`))
  }
  return prints
}
