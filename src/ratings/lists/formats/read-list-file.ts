import { readBangumiList } from './bangumi-list.ts'
import type { ListFile } from './list-row.ts'
import { readMalList } from './mal-list.ts'
import { readMokurokuList } from './mokuroku-list.ts'
import type { ListSource } from '../schemas.ts'
import { decompressFile } from './decompress-file.ts'
import { readVndbList } from './vndb-list.ts'

const READERS: Record<ListSource, (bytes: Buffer) => Promise<ListFile>> = {
  vndb: readVndbList,
  bangumi: readBangumiList,
  mal: readMalList,
  mokuroku: readMokurokuList,
}

/**
 * Reads an exported file, optionally compressed with gzip. @throws {ApiError} `COMMON_VALIDATION_FAILED` for another
 * format, `COMMON_BAD_REQUEST` (413) if the file is too large
 */
export async function readListFile(source: ListSource, bytes: Buffer): Promise<ListFile> {
  return READERS[source](await decompressFile(bytes))
}
