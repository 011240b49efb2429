import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { MEBIBYTE } from '../../../kernel/mebibyte.ts'
import { fileFault, unpackedFileTooLarge } from '../../../http/wire/errors/feature-refusals.ts'

/** Bytes of a file as it is sent. */
export const MAX_FILE_BYTES = 10 * MEBIBYTE

/** Bytes of a file that came packed. */
export const MAX_DECOMPRESSED_BYTES = 32 * MEBIBYTE

/** How an archive begins that other programs than gzip make. */
export const ZIP_SIGNATURE = Buffer.from('PK\x03\x04', 'latin1')

const unzip = promisify(gunzip)

/**
 * A file as it was before it was packed with gzip, as MyAnimeList does; any other is returned as it is.
 *
 * @throws {ApiError} `COMMON_BAD_REQUEST` (413) when it becomes too large, `COMMON_VALIDATION_FAILED` when it is damaged
 */
export async function decompressFile(bytes: Buffer): Promise<Buffer> {
  if (bytes.subarray(0, 4).equals(ZIP_SIGNATURE)) throw fileFault('file.zip')
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return await unzip(bytes, { maxOutputLength: MAX_DECOMPRESSED_BYTES })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw unpackedFileTooLarge(MAX_DECOMPRESSED_BYTES)
    throw fileFault('file.damaged_gzip')
  }
}
