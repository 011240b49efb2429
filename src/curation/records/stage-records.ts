import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { escapeCell, RowCopier } from '../../db/row-copier.ts'
import type { Database } from '../../db/database.ts'
import { limitTexts } from '../../sources/records/limit-texts.ts'
import { COLUMNS, unstorableFields } from '../../sources/records/columns.ts'
import { nameFieldOf, type RecordKind } from '../../sources/records/record-kinds.ts'
import type { ImportProgress } from '../../sources/records/progress.ts'
import type { ImportReport, ReadRecords, SourceRecord } from '../../sources/records/record.ts'
import { stageUnchanged } from '../../sources/records/unchanged-records.ts'

const PROGRESS_INTERVAL = 500

/**
 * Maximum length, in characters, of an id. Index entries cannot be much longer, and longer strings are neither ids nor
 * names (`name:…`).
 */
const MAX_ID_LENGTH = 500

const STAGED_COLUMNS = ['ordinal', 'kind', 'external_id', 'fields', 'links', 'same_as', 'hash']

/** A record that can be stored: only what the source states, without values that PostgreSQL rejects. */
type StagedRecord = {
  kind: RecordKind
  external_id: string
  fields: Record<string, unknown>
  /** JSON of `fields`, `links` and `same_as`. */
  documents: string[]
  hash: string | undefined
}

/**
 * Loads records into the temporary table `staged`, in the order of the source. They are followed by the records that
 * the reader found unchanged, which have no documents. Records with the same `hash` are equal.
 *
 * Reports the number of rows read until the first record, and the number of records after that.
 */
export async function stageRecords(
  trx: Database,
  records: ReadRecords,
  report: ImportReport,
  onProgress: (progress: ImportProgress) => void,
) {
  let count = 0
  const onRows = (done: number) => {
    if (count === 0) onProgress({ phase: 'staging', done, total: undefined, unit: 'rows' })
  }
  const reportCount = () =>
    onProgress({ phase: 'reading', done: count, total: undefined, unit: 'records' })
  // Reports progress before the first record, because tables are staged first.
  onRows(0)
  await sql`
    create temporary table staged (
      ordinal      bigint not null,
      kind         text not null,
      external_id  text not null,
      fields       jsonb not null,
      links        jsonb not null,
      same_as      jsonb not null,
      hash         uuid not null
    ) on commit drop`.execute(trx)
  const copier = new RowCopier(trx, 'staged', STAGED_COLUMNS)
  for await (const sourceRecord of records(report, trx, onRows)) {
    const record = toStaged(sourceRecord, report)
    if (record.external_id.length > MAX_ID_LENGTH) {
      report.note({ code: 'record.long_id' }, `${record.kind} ${record.external_id.slice(0, 50)}`)
      continue
    }
    if (!hasName(record)) {
      report.note({ code: 'record.no_name', params: { kind: record.kind } }, record.external_id)
      continue
    }
    count += 1
    copier.add(toLine(count, record))
    await copier.settle()
    if (count % PROGRESS_INTERVAL === 0) reportCount()
  }
  await copier.end()
  count += await stageUnchanged(trx, count)
  reportCount()
  await removeDuplicates(trx, report)
  await sql`alter table staged add primary key (kind, external_id)`.execute(trx)
  // Analyzes only ids and hashes. Nothing else is compared, and statistics of the documents would be expensive.
  await sql`analyze staged (ordinal, kind, external_id, hash)`.execute(trx)
}

function toStaged(source: SourceRecord, report: ImportReport): StagedRecord {
  const { kind, external_id, links = {}, same_as = [] } = source
  if (!Object.hasOwn(COLUMNS, kind))
    throw new Error(`${external_id}: there are no records of kind "${kind}"`)
  const fields = statedOnly(source.fields)
  const impossible = unstorableFields(kind, fields)
  for (const name of impossible) {
    Reflect.deleteProperty(fields, name)
    report.note({ code: 'field.impossible', params: { kind, field: name } }, external_id)
  }
  const statedLinks = statedOnly(links)
  const bounded = [fields, statedLinks].map(limitTexts)
  for (const name of bounded.flatMap(({ cut }) => cut))
    report.note({ code: 'field.cut', params: { kind, field: name } }, external_id)
  for (const name of bounded.flatMap(({ incomplete }) => incomplete))
    report.note({ code: 'field.too_long', params: { kind, field: name } }, external_id)
  const hasRemarks =
    impossible.length + bounded.flatMap((item) => [...item.cut, ...item.incomplete]).length > 0
  const written = (stored: Record<string, unknown>, lists: object, same: unknown) => ({
    kind,
    external_id: storableText(external_id),
    fields: stored,
    documents: [stored, statedOnly(lists), same].map((value) => JSON.stringify(value)),
    // Without a hash, every import reads the record again and repeats its remarks.
    hash: hasRemarks ? undefined : source.hash,
  })
  const record = written(fields, statedLinks, same_as)
  // The JSON shows whether PostgreSQL would reject a record. That is rare, so only such records are cleaned.
  if (!record.documents.some((json) => MAY_BE_UNSTORABLE.test(json))) return record
  return written(statedOnly(storableIn(fields)), storableIn(statedLinks), storable(same_as))
}

/** Matches NUL and lone surrogates in JSON. It also matches escaped text that looks like them, which is harmless. */
const MAY_BE_UNSTORABLE = /\\u(?:0000|d[89a-f])/

function hasName({ kind, fields }: StagedRecord) {
  const name = nameFieldOf(kind)
  return name === null || Boolean(fields[name])
}

/**
 * Writes a record in COPY's text format. JSON already escapes control characters, so only backslashes need escaping.
 */
function toLine(
  ordinal: number,
  { kind, external_id, documents, hash: own }: StagedRecord,
): string {
  const text = documents.join('\t').replaceAll('\\', '\\\\')
  return `${ordinal}\t${kind}\t${escapeCell(external_id)}\t${text}\t${own ?? hash('md5', text)}`
}

async function removeDuplicates(trx: Database, report: ImportReport) {
  const { rows } = await sql<{ kind: string; external_id: string }>`
    with repeated as (
      select kind, external_id, min(ordinal) as first from staged group by kind, external_id having count(*) > 1
    ),
    gone as (
      delete from staged using repeated
      where staged.kind = repeated.kind and staged.external_id = repeated.external_id and staged.ordinal > repeated.first
      returning staged.ordinal, staged.kind, staged.external_id
    )
    select kind, external_id from gone order by ordinal`.execute(trx)
  for (const { kind, external_id } of rows)
    report.note({ code: 'record.repeated' }, `${kind} ${external_id}`)
}

/** Drops values that state nothing (record.ts): null, empty or missing values, and numbers that are not finite. */
function statedOnly(fields: object): Record<string, unknown> {
  const stated: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined || value === '') continue
    if (typeof value === 'number' && !Number.isFinite(value)) continue
    if (!Array.isArray(value) || value.length > 0) stated[name] = value
  }
  return stated
}

const storableIn = (fields: object) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, storable(value)]))

/** Removes NUL and lone surrogates, which PostgreSQL rejects. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [storableText(name), storable(inner)]),
  )
}

const storableText = (text: string) =>
  (text.includes('\0') ? text.replaceAll('\0', '') : text).toWellFormed()
