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
 * The rows of a file as it was exported, packed with gzip or not.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` when it is no such file, `COMMON_BAD_REQUEST` (413) when it is too large
 */
export async function readListFile(source: ListSource, bytes: Buffer): Promise<ListFile> {
  return READERS[source](await decompressFile(bytes))
}
