import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { COLUMNS, NAME_FIELDS } from './columns.ts'
import type { RecordKind } from './record-kinds.ts'
import type { ImportReport, SourceRecord } from './record.ts'

/** Records sent in one statement. */
const BATCH = 500

/** A record as it is stored: nothing PostgreSQL refuses, and only what the source states. */
type StagedRecord = {
  kind: RecordKind
  external_id: string
  fields: Record<string, unknown>
  links: Record<string, unknown>
  same_as: unknown
}

/**
 * Loads what a source says into `staged`, a table of this transaction, in the order of the source.
 *
 * @param onProgress called with the number of records so far
 */
export async function stage(
  trx: Database,
  records: AsyncIterable<SourceRecord> | Iterable<SourceRecord>,
  report: ImportReport,
  onProgress: (count: number) => void,
) {
  await sql`
    create temporary table staged (
      ordinal      bigint generated always as identity,
      kind         text not null,
      external_id  text not null,
      fields       jsonb not null,
      links        jsonb not null,
      same_as      jsonb not null,
      entry_id     bigint,
      is_new       boolean not null default false,
      primary key (kind, external_id)
    ) on commit drop`.execute(trx)
  let batch: StagedRecord[] = []
  let count = 0
  for await (const sourceRecord of records) {
    const record = toStaged(sourceRecord)
    if (!namesItself(record)) {
      report.note(`${record.kind} without a name: left out`, record.external_id)
      continue
    }
    batch.push(record)
    if (batch.length === BATCH) {
      count += await insert(trx, batch, report)
      onProgress(count)
      batch = []
    }
  }
  count += await insert(trx, batch, report)
  onProgress(count)
}

/** @throws {Error} when there is no such kind of records */
function toStaged({ kind, external_id, fields, links = {}, same_as = [] }: SourceRecord): StagedRecord {
  if (!Object.hasOwn(COLUMNS, kind)) throw new Error(`${external_id}: there are no records of kind "${kind}"`)
  return {
    kind,
    external_id: storableText(external_id),
    fields: statedOnly(fields),
    links: statedOnly(links),
    same_as: storable(same_as),
  }
}

function namesItself({ kind, fields }: StagedRecord) {
  const name = NAME_FIELDS[kind]
  return name === null || Boolean(fields[name])
}

async function insert(trx: Database, batch: StagedRecord[], report: ImportReport) {
  const { rows: taken } = await sql<{ kind: string; external_id: string }>`
    insert into staged (kind, external_id, fields, links, same_as)
    select kind, external_id, fields, links, same_as
    from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb)
      as record(kind text, external_id text, fields jsonb, links jsonb, same_as jsonb)
    on conflict do nothing
    returning kind, external_id`.execute(trx)
  const first = new Set(taken.map(({ kind, external_id }) => `${kind} ${external_id}`))
  for (const { kind, external_id } of batch)
    if (!first.delete(`${kind} ${external_id}`))
      report.note('the same id twice in one source: the first counts', `${kind} ${external_id}`)
  return taken.length
}

/** What is null, empty or missing says nothing (record.ts). */
function statedOnly(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]) => [name, storable(value)])
      .filter(([, value]) => {
        if (value === null || value === undefined || value === '') return false
        return !Array.isArray(value) || value.length > 0
      }),
  )
}

/** PostgreSQL takes neither NUL nor half a surrogate pair; a number that is none says nothing. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [storableText(name), storable(inner)]),
  )
}

const storableText = (text: string) => text.replaceAll('\0', '').toWellFormed()
