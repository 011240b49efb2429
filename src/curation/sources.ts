import type { SourceName } from '../sources/registry.ts'
import { BANGUMI } from '../sources/bangumi/source.ts'
import { BadRows, type BadRowLimit } from '../sources/dump/bad-rows.ts'
import { checksumOf } from '../sources/dump/checksum.ts'
import { countRows } from '../sources/dump/tables/count-rows.ts'
import { Dependence } from '../sources/dump/dependence.ts'
import { noteMissing, requireTables } from '../sources/dump/tables/needed-tables.ts'
import { openDump } from '../sources/dump/archive/open-dump.ts'
import type { DumpSource } from '../sources/dump/dump-source.ts'
import type { OnRows } from '../sources/records/progress.ts'
import { RANOBEDB } from '../sources/ranobedb/source.ts'
import type { ReadRecords } from '../sources/records/record.ts'
import { describeDump, type DumpFacts } from '../sources/dump/dump-facts.ts'
import { VNDB } from '../sources/vndb/source.ts'

/** Dump layout and reader of each source. */
export const DUMP_SOURCES: { readonly [Name in SourceName]: DumpSource & { source: Name } } = {
  bangumi: BANGUMI,
  ranobedb: RANOBEDB,
  vndb: VNDB,
}

export type OpenOptions = {
  /** Rows of a table that may be left out because they cannot be read. */
  maxBadRows?: BadRowLimit | undefined
  /** Required tables that may be missing or empty: some of them, or, for a dump known to be a part, any. */
  allowMissing?: readonly string[] | 'any'
  /** The day on which it is read, `YYYY-MM-DD`. */
  today?: string
}

/** A dump that was opened and has what it needs. */
export type OpenSource = {
  /** Yields what the dump says; it can be read again. */
  records: ReadRecords
  /**
   * True if the dump held everything the source says; known after it was read. A missing table or an unreadable row may
   * have held any entry.
   */
  isWhole(): boolean
  /** Facts that are known before the dump is read. */
  facts(): Promise<DumpFacts>
  /** Checksum of the tables. Equal checksums mean equal records unless a fact in `dependence` has changed. Reads the whole dump. */
  checksum(onRows?: OnRows): Promise<string>
  /** Other facts that the records depend on; known after the dump was read. */
  dependence: Dependence
  close(): Promise<void>
}

/**
 * Opens a dump of a source: a folder, or the archive as it was published.
 *
 * @throws {DumpError} when there is no such dump, or required tables of it are missing or empty
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
  const dependence = new Dependence(today)
  return {
    dependence,
    async *records(report, trx, onRows = () => {}) {
      await noteMissing(dump, format, report)
      const badRows = new BadRows(report, maxBadRows)
      yield* format.read({ dump: countRows(dump, onRows), report, badRows, dependence }, trx)
      hasBadRows = badRows.found
    },
    isWhole: () => hasAllTables && !hasBadRows,
    facts: () => describeDump(dump),
    checksum: (onRows = () => {}) =>
      checksumOf(countRows(dump, onRows), format, { maxBadRows, allowMissing }),
    close: () => dump.close(),
  }
}
