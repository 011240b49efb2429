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

const SAMPLE = new URL('../../sample/', import.meta.url)

/** The bundled sample: real rows of the real sources and a few hand-written ones (NOTICE), in the order in which ids are given. */
export const SAMPLE_FOLDERS: { source: ReadableSource; folder: URL }[] = [
  { source: 'vndb', folder: new URL('vndb/', SAMPLE) },
  { source: 'ranobedb', folder: new URL('ranobedb/', SAMPLE) },
  { source: 'bangumi', folder: new URL('bangumi-archive/', SAMPLE) },
  { source: 'bangumi', folder: new URL('bangumi-rows/', SAMPLE) },
  { source: 'bangumi', folder: new URL('bangumi-known-works/', SAMPLE) },
]
