import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Members } from './archives.ts'
import { runnerVariable } from './databases.ts'
import { temporaryFolder } from './program.ts'
import { BadRows, type BadRowLimit } from '../../src/sources/dump/bad-rows.ts'
import { Dependencies } from '../../src/sources/dump/dependencies.ts'
import { openDump } from '../../src/sources/dump/archive/open-dump.ts'
import type { DumpReading } from '../../src/sources/dump/dump-source.ts'
import { remarkText, type ImportRemark } from '../../src/sources/records/import-remark.ts'
import type { ImportReport, SourceRecord } from '../../src/sources/records/record.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { inLongTransaction } from '../../src/db/server/long-transaction.ts'
import { openSource, DUMP_SOURCES, type OpenSource } from '../../src/curation/sources.ts'
import { bySource, type SourceName } from '../../src/sources/registry.ts'

export type RecordOfKind<Kind extends SourceRecord['kind']> = Extract<SourceRecord, { kind: Kind }>

/** Returns the only record of this kind and id. */
export function findInDump<Kind extends SourceRecord['kind']>(
  records: SourceRecord[],
  kind: Kind,
  id: string,
): RecordOfKind<Kind> {
  const isIt = (record: SourceRecord): record is RecordOfKind<Kind> =>
    record.kind === kind && record.external_id === id
  const found = records.find(isIt)
  assert.ok(found, `no ${kind} ${id}`)
  return found
}

/** Returns a report that lists each remark with its example. */
export function listRemarks() {
  const remarks: string[] = []
  const note = (remark: ImportRemark, example = '') =>
    void remarks.push(`${remarkText('en', remark)}: ${example}`)
  return { remarks, note }
}

/** Returns a report that counts each remark. */
export function countRemarks() {
  const remarks = new Map<string, number>()
  const note = (remark: ImportRemark) => {
    const text = remarkText('en', remark)
    remarks.set(text, (remarks.get(text) ?? 0) + 1)
  }
  return { remarks, note }
}

/** Opens a full or partial dump for the readers of its tables. */
export async function openTestDump(
  source: SourceName,
  path: string,
  report: ImportReport,
  { limit, today }: { limit?: BadRowLimit; today?: string } = {},
): Promise<DumpReading> {
  const dump = await openDump(path, {
    format: DUMP_SOURCES[source],
    formats: Object.values(DUMP_SOURCES),
  })
  return {
    dump,
    report,
    badRows: new BadRows(report, limit),
    dependencies: new Dependencies(today),
  }
}

/** Returns all records of a full or partial dump. */
export async function readDump(
  source: SourceName,
  path: string,
  report: ImportReport,
): Promise<SourceRecord[]> {
  return readAll(await openSource(source, path, { allowMissing: 'any' }), report)
}

/** Returns all records of an open dump, and closes it. */
export const readAll = (
  { records, close }: Pick<OpenSource, 'records' | 'close'>,
  report: ImportReport,
): Promise<SourceRecord[]> =>
  withDefaultDatabase((trx) => Array.fromAsync(records(report, trx))).finally(close)

/** Runs `work` in a transaction for staging a dump, in a database without a schema. Rolls it back at the end. */
export async function withDefaultDatabase<Result>(
  work: (trx: Database) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase({
    databaseUrl: runnerVariable('MOKUROKU_TEST_POSTGRES'),
    dataDir: '',
  })
  try {
    // As in an import: reading a dump may leave the transaction idle longer than a request may.
    return await inLongTransaction(database.db, Infinity, work)
  } finally {
    await database.close()
  }
}

/** Folders with the bundled sample of each source, one file per table. */
export const SAMPLES = bySource((source) =>
  fileURLToPath(new URL(`../../sample/${DUMP_SOURCES[source].samples[0]}`, import.meta.url)),
)

/** Creates a place for temporary dumps, which is deleted after the current suite. */
export function temporaryDumps() {
  const { path: dir, remove } = temporaryFolder()
  after(remove)
  let folders = 0
  /** Creates a folder with these files. */
  function folderOf(members: Members): string {
    const folder = join(dir, `folder-${(folders += 1)}`)
    mkdirSync(folder)
    for (const [name, body] of Object.entries(members)) {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), body)
    }
    return folder
  }
  /** Creates a file with these bytes and a meaningless name. */
  const fileOf = (bytes: Uint8Array | string) => join(folderOf({ file: bytes }), 'file')
  return { dir, folderOf, fileOf }
}
