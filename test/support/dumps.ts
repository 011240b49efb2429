import { BadRows, type BadRowLimit } from '../../src/importers/dump/bad-rows.ts'
import { openDump } from '../../src/importers/dump/open-dump.ts'
import type { DumpReading } from '../../src/importers/dump/reading.ts'
import type { ImportReport, SourceRecord } from '../../src/importers/record.ts'
import { openSource, DUMP_SOURCES, type ReadableSource } from '../../src/importers/sources.ts'

/** For tests: a dump, be it a part of one, opened for the readers of its tables. */
export async function openReading(
  source: ReadableSource,
  path: string,
  report: ImportReport,
  limit?: BadRowLimit,
): Promise<DumpReading> {
  const formats = Object.values(DUMP_SOURCES).map(({ format }) => format)
  const dump = await openDump(path, { format: DUMP_SOURCES[source].format, formats })
  return { dump, report, badRows: new BadRows(report, limit) }
}

/** For tests: all records of a dump, be it a part of one. */
export async function readDump(
  source: ReadableSource,
  path: string,
  report: ImportReport,
): Promise<SourceRecord[]> {
  const { records, close } = await openSource(source, path, { allowMissing: 'any' })
  return Array.fromAsync(records(report)).finally(close)
}
