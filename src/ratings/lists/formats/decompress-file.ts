import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { MEBIBYTE } from '../../../kernel/mebibyte.ts'
import { fileFault, unpackedFileTooLarge } from '../../../http/wire/errors/feature-refusals.ts'

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
