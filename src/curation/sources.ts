import type { SourceName } from '../sources/registry.ts'
import { BANGUMI } from '../sources/bangumi/source.ts'
import { BadRows, type BadRowLimit } from '../sources/dump/bad-rows.ts'
import { checksumOf } from '../sources/dump/checksum.ts'
import { countRows } from '../sources/dump/tables/count-rows.ts'
import { Dependencies } from '../sources/dump/dependencies.ts'
import { reportMissing, requireTables } from '../sources/dump/tables/required-tables.ts'
import { openDump } from '../sources/dump/archive/open-dump.ts'
import type { DumpSource } from '../sources/dump/dump-source.ts'
import type { OnRows } from '../sources/records/progress.ts'
import { RANOBEDB } from '../sources/ranobedb/source.ts'
import type { ReadRecords } from '../sources/records/record.ts'
import { describeDump, type DumpFacts } from '../sources/dump/dump-facts.ts'
import { VNDB } from '../sources/vndb/source.ts'

export const DUMP_SOURCES: { readonly [Name in SourceName]: DumpSource & { source: Name } } = {
  bangumi: BANGUMI,
  ranobedb: RANOBEDB,
  vndb: VNDB,
}

export type OpenOptions = {
  /** Maximum number or share of a table's rows that may be skipped as unreadable. */
  maxBadRows?: BadRowLimit | undefined
  /** Required tables that may be missing or empty, or `any` for a partial dump. */
  allowMissing?: readonly string[] | 'any'
  /** Date for which the dump is read, `YYYY-MM-DD`. */
  today?: string
}

/** Open dump with all required tables. */
export type OpenSource = {
  /** Yields the dump's records. May be called several times. */
  records: ReadRecords
  /**
   * Returns true if the dump contains all records of the source. A missing table or an unreadable row may have
   * contained any record. Call it after reading.
   */
  isWhole(): boolean
  facts(): Promise<DumpFacts>
  /**
   * Returns a checksum of the tables. Equal checksums mean equal records, unless `dependencies` changed. Reads the
   * whole dump.
   */
  checksum(onRows?: OnRows): Promise<string>
  /** Other inputs of the records. Complete only after reading. */
  dependencies: Dependencies
  close(): Promise<void>
}

/**
 * Opens a dump: a folder or an archive as published.
 *
 * @throws {DumpError} if there is no such dump, or required tables are missing or empty
 */
export async function openSource(
  source: SourceName,
  path: string,
  { maxBadRows, allowMissing = [], today }: OpenOptions = {},
): Promise<OpenSource> {
  const format = DUMP_SOURCES[source]
  const dump = await openDump(path, { format, formats: Object.values(DUMP_SOURCES) })
  const hasAllTables = await requireTables(dump, format, allowMissing).catch(
    async (error: unknown) => {
      await dump.close()
      throw error
    },
  )
  let hasBadRows = false
  const dependencies = new Dependencies(today)
  return {
    dependencies,
    async *records(report, trx, onRows = () => {}) {
      await reportMissing(dump, format, report)
      const badRows = new BadRows(report, maxBadRows)
      yield* format.read({ dump: countRows(dump, onRows), report, badRows, dependencies }, trx)
      hasBadRows = badRows.found
    },
    isWhole: () => hasAllTables && !hasBadRows,
    facts: () => describeDump(dump),
    checksum: (onRows = () => {}) =>
      checksumOf(countRows(dump, onRows), format, { maxBadRows, allowMissing }),
    close: () => dump.close(),
  }
}
