import { readBangumi } from './bangumi/import.ts'
import type { SourceReader } from './import-source.ts'
import { readRanobedb } from './ranobedb/read-ranobedb.ts'
import { readVndb } from './vndb/read-vndb.ts'

/** Outside sources whose folders can be loaded, and who reads them. */
export const READERS = {
  bangumi: readBangumi,
  ranobedb: readRanobedb,
  vndb: readVndb,
} satisfies Record<string, SourceReader>

export type ReadableSource = keyof typeof READERS
