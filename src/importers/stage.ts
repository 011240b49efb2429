import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { ENTRY_TABLES } from './columns.ts'
import type { ImportReport, SourceRecord } from './record.ts'

/** Records sent in one statement. */
const BATCH = 500

/**
 * Loads what a source says into `staged`, a table of this transaction, in the order of the source.
 *
 * @param onProgress is told how many records there are so far
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
  let batch: SourceRecord[] = []
  let count = 0
  for await (const record of records) {
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

/** A volume may be known by its number alone; everything else has a name. */
function namesItself({ kind, fields }: SourceRecord) {
  if (kind === 'light_novel_volume' || kind === 'manga_volume') return true
  return Boolean(new Map<string, unknown>(Object.entries(fields)).get(ENTRY_TABLES[kind].required))
}

async function insert(trx: Database, batch: SourceRecord[], report: ImportReport) {
  const rows = batch.map(({ kind, external_id, fields, links = {}, same_as = [] }) => ({
    kind,
    external_id,
    fields: saidOnly(fields),
    links: saidOnly(links),
    same_as,
  }))
  const { rows: taken } = await sql<{ external_id: string }>`
    insert into staged (kind, external_id, fields, links, same_as)
    select kind, external_id, fields, links, same_as
    from jsonb_to_recordset(${JSON.stringify(rows, storable)}::jsonb)
      as record(kind text, external_id text, fields jsonb, links jsonb, same_as jsonb)
    on conflict do nothing
    returning external_id`.execute(trx)
  if (taken.length < batch.length)
    report.note('the same id twice in one source: the first counts', batch[0]?.kind)
  return taken.length
}

/** What is null, empty or missing says nothing (record.ts). */
function saidOnly(fields: object) {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => {
      if (value === null || value === undefined || value === '') return false
      return !Array.isArray(value) || value.length > 0
    }),
  )
}

/** PostgreSQL takes neither NUL nor half a surrogate pair. */
function storable(_key: string, value: unknown) {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value
}
