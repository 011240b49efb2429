import { fileFault } from '../../../http/wire/errors/feature-refusals.ts'

/** @throws {ApiError} `COMMON_VALIDATION_FAILED` if the bytes are not UTF-8 */
export function decodeUtf8(
  decoder: TextDecoder,
  bytes: Uint8Array | undefined,
  isLast: boolean,
): string {
  try {
    return decoder.decode(bytes, { stream: !isLast })
  } catch {
    throw fileFault('file.not_utf8')
  }
}

export const utf8Decoder = () => new TextDecoder('utf-8', { fatal: true })
