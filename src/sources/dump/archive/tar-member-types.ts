import { DumpError } from '../dump-error.ts'

const BLOCK = 512

/**
 * Types of files, links, devices, folders, and headers of the next member. Members of other types, such as sparse
 * files, are not stored as plain content.
 */
const KNOWN_TYPES = new Set(['\0', ...'01234567xgLK'])

/**
 * Passes the bytes of a tar through, and rejects members of unknown types, which the library would treat as files.
 *
 * @throws {DumpError} naming the member
 */
export async function* rejectUnknownTypes(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const header = Buffer.alloc(BLOCK)
  let filled = 0
  let passing = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const taken = Math.min(passing > 0 ? passing : BLOCK - filled, chunk.length - at)
      if (passing > 0) passing -= taken
      else {
        header.set(chunk.subarray(at, at + taken), filled)
        filled += taken
      }
      at += taken
      if (filled < BLOCK) continue
      filled = 0
      passing = bodyBytes(path, header)
    }
    yield chunk
  }
}

/** Returns the length of the body including padding, or infinity after the last header. */
function bodyBytes(path: string, header: Buffer): number {
  if (header.toString('latin1', 257, 262) !== 'ustar') return Infinity
  const kind = header.toString('latin1', 156, 157)
  if (!KNOWN_TYPES.has(kind))
    throw new DumpError(
      `${path}: ${header.toString('utf8', 0, 100).replace(/\0.*$/s, '')} has an unsupported type ` +
        `(${JSON.stringify(kind)}), such as a sparse file. Pack it again without --sparse.`,
    )
  const isBinary = ((header[124] ?? 0) & 0x80) !== 0
  const size = isBinary
    ? Number(header.readBigUInt64BE(128))
    : Number.parseInt(header.toString('latin1', 124, 136).replace(/\0.*$/s, '').trim() || '0', 8)
  return Math.ceil(size / BLOCK) * BLOCK
}
