import { sql } from 'kysely'
import { KINDS, type EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { ALL_COLUMNS } from '../../sources/records/columns.ts'
import { requireEntry } from '../merge/merge-entries.ts'
import { SOURCE_RANK, type Source } from '../../sources/records/record.ts'
import { FIELD_RANKS, sourceRank, TITLES, MERGED_LISTS } from '../derive/source-ranks.ts'

type Statement = { source: Source; external_id: string; value: unknown }

export type ShownField = {
  field: string
  value: unknown
  /** Records that the value comes from. A merged list may come from several records. */
  from: string[]
  locked: boolean
  /** Values in all records, most trusted first. */
  statements: Statement[]
}

export type ShownEntry = {
  kind: EntryKind
  id: number
  records: { source: Source; external_id: string; imported_at: Date }[]
  merged: { id: number; merged_at: Date; rule: string }[]
  fields: ShownField[]
}

/** Language prefix of a field's name. The values in different languages are shown side by side. */
const LANGUAGE = /^(?:origin|trans|en)_/

type StoredRecord = {
  source: Source
  external_id: string
  imported_at: Date
  fields: Record<string, unknown>
}

/**
 * Returns each field of an entry with its origin and the values in all records.
 *
 * @throws {EntryRefusedError} if there is no such entry
 */
export async function showEntry(db: Database, kind: EntryKind, id: number): Promise<ShownEntry> {
  await requireEntry(db, kind, id)
  const { table, isWork } = KINDS[kind]
  const { rows: records } = await sql<StoredRecord>`
    select source, external_id, imported_at, fields from source_records
    where kind = ${kind} and entry_id = ${id}
    order by ${sourceRank('source')}, external_id`.execute(db)
  const { rows: entries } = await sql<{ row: Record<string, unknown> }>`
    select ${isWork ? sql`to_jsonb(work) ||` : sql``} to_jsonb(entry) as row
    from ${sql.table(table)} entry
    ${isWork ? sql`join works work on work.id = entry.id` : sql``}
    where entry.id = ${id}`.execute(db)
  const { rows: merged } = await sql<ShownEntry['merged'][number]>`
    select from_id as id, merged_at, rule from entry_merges
    where kind = ${kind} and into_id = ${id} and undone_at is null order by id`.execute(db)
  const row = entries[0]?.row ?? {}
  const byText = Map.groupBy(Object.keys(ALL_COLUMNS[kind]), (name) => name.replace(LANGUAGE, ''))
  return {
    kind,
    id,
    records: records.map(({ source, external_id, imported_at }) => ({
      source,
      external_id,
      imported_at,
    })),
    merged,
    fields: [...byText.values()]
      .flat()
      .map((field) => fieldOf(kind, id, field, row[field], records)),
  }
}

function fieldOf(
  kind: EntryKind,
  id: number,
  field: string,
  value: unknown,
  records: StoredRecord[],
): ShownField {
  const ranks = Object.entries(FIELD_RANKS).find(([name]) => name === field)?.[1] ?? SOURCE_RANK
  const statements = records
    .filter(({ fields }) => Object.hasOwn(fields, field))
    .map(({ source, external_id, fields }) => ({ source, external_id, value: fields[field] }))
    .toSorted(
      (a, b) =>
        ranks.indexOf(a.source) - ranks.indexOf(b.source) ||
        Number(isOf(id, b)) - Number(isOf(id, a)),
    )
  const locked = statements[0]?.source === 'local'
  const isUnited = Object.hasOwn(MERGED_LISTS, field) && !locked && Array.isArray(value)
  const from = isUnited
    ? sourcesOfItems(kind, field, value, records)
    : statements.slice(0, 1).map(nameOf)
  return { field, value, from, locked, statements }
}

const isOf = (id: number, { external_id }: { external_id: string }) => external_id === `entry:${id}`

const nameOf = ({ source, external_id }: { source: Source; external_id: string }) =>
  source === 'local' && external_id.startsWith('entry:') ? 'local' : `${source} ${external_id}`

/** Returns the records that contain one of the items, either in the list or as a title that is not shown. */
function sourcesOfItems(
  kind: EntryKind,
  field: string,
  items: unknown[],
  records: StoredRecord[],
): string[] {
  const { titles, others } = TITLES[kind]
  const shown = new Set(items.map((item) => JSON.stringify(item)))
  return records
    .filter(({ fields }) => {
      const list = fields[field]
      const own = Array.isArray(list) ? list : []
      const names = field === others ? titles.map((title) => fields[title]) : []
      return [...own, ...names].some((item) => shown.has(JSON.stringify(item)))
    })
    .map(nameOf)
}
