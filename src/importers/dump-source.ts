import type { Database } from '../db/database.ts'
import type { DumpFormat } from './dump/layouts.ts'
import type { DumpReading } from './dump/reading.ts'
import type { SourceRecord } from './record.ts'

/** All that imports know of a source: how its dumps look, what has to be in them, and who reads them. */
export type DumpSource = DumpFormat & {
  /** What the path of an import may lead to, in lines of at most 70 characters. */
  forms: readonly string[]
  /** Folders in `sample/`, the first a whole dump, the others a few rows by themselves. */
  samples: readonly [string, ...string[]]
  /**
   * Version of what is made of a dump. Whoever changes the records that the reader makes raises it: `update` then imports
   * a dump again which it has imported with another version.
   */
  mappingVersion: number
  /** Yields the records of a dump. It may stage tables in the transaction of the import. */
  read(dump: DumpReading, trx: Database): AsyncIterable<SourceRecord>
  /** Tables that records are read from, by kind (`galgame`) and by list, for lists with their own tables (`galgame.staff`). */
  tablesBehind: Readonly<Record<string, readonly string[]>>
}
