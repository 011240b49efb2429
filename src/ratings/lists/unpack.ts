import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { ApiError } from '../../http/wire/errors.ts'
import { fileFault } from './file-fault.ts'

const MEBIBYTE = 1024 * 1024

/** Bytes of a file as it is sent. */
export const MAX_BYTES = 10 * MEBIBYTE

/** Bytes of a file that came packed. */
export const MAX_UNPACKED = 32 * MEBIBYTE

/** The refusal of a file that is too large. */
export const tooLarge = (most: number, packed = '') =>
  new ApiError('COMMON_BAD_REQUEST', `The file is larger than ${most / MEBIBYTE} MiB${packed}.`, {
    status: 413,
  })

const unzip = promisify(gunzip)

/**
 * A file as it was before it was packed with gzip, as MyAnimeList does; any other is returned as it is.
 *
 * @throws {ApiError} `COMMON_BAD_REQUEST` (413) when it becomes too large, `COMMON_VALIDATION_FAILED` when it is damaged
 */
export async function unpack(bytes: Buffer): Promise<Buffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return await unzip(bytes, { maxOutputLength: MAX_UNPACKED })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(MAX_UNPACKED, ' when it is unpacked')
    throw fileFault('is a damaged gzip file')
  }
}
