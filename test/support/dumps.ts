import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Members } from './archives.ts'
import { fromRunner } from './databases.ts'
import { temporaryFolder } from './program.ts'
import { BadRows, type BadRowLimit } from '../../src/sources/dump/bad-rows.ts'
import { Dependencies } from '../../src/sources/dump/dependencies.ts'
import { openDump } from '../../src/sources/dump/archive/open-dump.ts'
import type { DumpReading } from '../../src/sources/dump/dump-source.ts'
import type { ImportReport, SourceRecord } from '../../src/sources/records/record.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { inLongTransaction } from '../../src/db/server/long-transaction.ts'
import { openSource, DUMP_SOURCES, type OpenSource } from '../../src/curation/sources.ts'
import { bySource, type SourceName } from '../../src/sources/registry.ts'

/** For tests: a dump, be it a part of one, opened for the readers of its tables. */
export async function openReading(
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

/** For tests: all records of a dump, be it a part of one. */
export async function readDump(
  source: SourceName,
  path: string,
  report: ImportReport,
): Promise<SourceRecord[]> {
  return readAll(await openSource(source, path, { allowMissing: 'any' }), report)
}

/** For tests: all records of a dump that is open, which is closed then. */
export const readAll = (
  { records, close }: Pick<OpenSource, 'records' | 'close'>,
  report: ImportReport,
): Promise<SourceRecord[]> =>
  withUsualDatabase((trx) => Array.fromAsync(records(report, trx))).finally(close)

/** For tests: a transaction in which a dump is staged, of a database without a schema; what is left there goes with it. */
export async function withUsualDatabase<Result>(
  work: (trx: Database) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase({
    databaseUrl: fromRunner('MOKUROKU_TEST_POSTGRES'),
    dataDir: '',
    databasePoolSize: 1,
    databasePreparedStatements: true,
  })
  try {
    // As an import has it: reading a dump may take longer than a request would leave its transaction idle.
    return await inLongTransaction(database.db, Infinity, work)
  } finally {
    await database.close()
  }
}

/** The bundled sample of each source, a folder of tables. */
export const SAMPLES = bySource((source) =>
  fileURLToPath(new URL(`../../sample/${DUMP_SOURCES[source].samples[0]}`, import.meta.url)),
)

/** For tests: a place for dumps that are thrown away. */
export function temporaryDumps() {
  const { path: dir, remove } = temporaryFolder()
  let folders = 0
  /** A new folder of these files. */
  function folderOf(members: Members): string {
    const folder = join(dir, `folder-${(folders += 1)}`)
    mkdirSync(folder)
    for (const [name, body] of Object.entries(members)) {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), body)
    }
    return folder
  }
  /** A file with these bytes, whose name says nothing. */
  const fileOf = (bytes: Uint8Array | string) => join(folderOf({ file: bytes }), 'file')
  return { dir, folderOf, fileOf, remove }
}
