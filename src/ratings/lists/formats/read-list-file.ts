import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { readBangumiList } from './bangumi-list.ts'
import type { ListFile } from './list-row.ts'
import { readMalList } from './mal-list.ts'
import { readMokurokuList } from './mokuroku-list.ts'
import type { ListSource } from '../schemas.ts'
import { readVndbList } from './vndb-list.ts'
import { MEBIBYTE } from '../../../kernel/mebibyte.ts'
import { fileFault, unpackedFileTooLarge } from '../../../http/wire/errors/feature-refusals.ts'

const READERS: Record<ListSource, (bytes: Buffer) => Promise<ListFile>> = {
  vndb: readVndbList,
  bangumi: readBangumiList,
  mal: readMalList,
  mokuroku: readMokurokuList,
}

/**
 * Reads an exported file, optionally compressed with gzip.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` for another format, `COMMON_BAD_REQUEST` (413) if the file is too
 * large
 */
export async function readListFile(source: ListSource, bytes: Buffer): Promise<ListFile> {
  return READERS[source](await decompressFile(bytes))
}

/** Maximum size of an uploaded file, in bytes. */
export const MAX_FILE_BYTES = 10 * MEBIBYTE

/** Maximum size of a file after decompression, in bytes. */
export const MAX_DECOMPRESSED_BYTES = 32 * MEBIBYTE

export const ZIP_SIGNATURE = Buffer.from('PK\x03\x04', 'latin1')

const gunzipAsync = promisify(gunzip)

/**
 * Decompresses a gzip file, such as an export of MyAnimeList. Returns other files unchanged.
 *
 * @throws {ApiError} `COMMON_BAD_REQUEST` (413) if the result is too large, `COMMON_VALIDATION_FAILED` if the file is damaged
 */
export async function decompressFile(bytes: Buffer): Promise<Buffer> {
  if (bytes.subarray(0, 4).equals(ZIP_SIGNATURE)) throw fileFault('file.zip')
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return await gunzipAsync(bytes, { maxOutputLength: MAX_DECOMPRESSED_BYTES })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw unpackedFileTooLarge(MAX_DECOMPRESSED_BYTES)
    throw fileFault('file.damaged_gzip')
  }
}
