import { DumpError } from '../dump-error.ts'

/** Consecutive lines. Null stands for a line that is not UTF-8. */
export type LineBlock = {
  lines: (string | null)[]
  /** Number of the first line, starting at 1. */
  number: number
  /** Offset of the first line in bytes. */
  offset: number
}

/** Maximum size of a row, in bytes, to limit memory use. The longest rows of real dumps are below 1 MB. */
const MAX_ROW_BYTES = 16 * 1024 * 1024

const NEWLINE = 0x0a

/**
 * Yields the lines of UTF-8 text, split only at `\n`. `node:readline` would also split at U+2028, which occurs in
 * descriptions. Drops a byte order mark, and carriage returns before newlines.
 *
 * @param start position of the first byte within the file
 * @throws {DumpError} for UTF-16 and for lines above 16 MB
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  location: string,
  start = { number: 1, offset: 0 },
): AsyncGenerator<LineBlock> {
  let { number, offset } = start
  let rest: Uint8Array[] = []
  let restBytes = 0
  const keep = (bytes: Uint8Array) => {
    if (bytes.length > 0) rest.push(bytes)
    restBytes += bytes.length
    if (restBytes > MAX_ROW_BYTES)
      throw new DumpError(
        `${location}:${number}: a row is longer than ${MAX_ROW_BYTES / 1024 / 1024} MB`,
      )
  }
  const takeBlock = (): LineBlock => {
    const bytes = rest.length === 1 && rest[0] ? rest[0] : Buffer.concat(rest)
    const block = {
      lines: decodeLines(stripByteOrderMark(bytes, offset, location)),
      number,
      offset,
    }
    number += block.lines.length
    offset += bytes.length + 1
    rest = []
    restBytes = 0
    return block
  }
  for await (const chunk of chunks) {
    const first = chunk.indexOf(NEWLINE)
    if (first === -1) {
      keep(chunk)
      continue
    }
    keep(chunk.subarray(0, first))
    const last = chunk.lastIndexOf(NEWLINE)
    if (last > first) rest.push(chunk.subarray(first, last))
    yield takeBlock()
    keep(chunk.subarray(last + 1))
  }
  if (restBytes > 0) yield takeBlock()
}

// `ignoreBOM` keeps U+FEFF, which the decoder would otherwise drop at the start of every block.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Returns null if the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

function decodeLines(bytes: Uint8Array): (string | null)[] {
  const text = decodeText(bytes)
  const lines = text === null ? splitAtNewlines(bytes).map(decodeText) : text.split('\n')
  return lines.map((line) => (line?.endsWith('\r') ? line.slice(0, -1) : line))
}

function splitAtNewlines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  let from = 0
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
    lines.push(bytes.subarray(from, end))
    from = end + 1
  }
  return [...lines, bytes.subarray(from)]
}

function stripByteOrderMark(bytes: Uint8Array, offset: number, location: string): Uint8Array {
  if (offset > 0) return bytes
  const [first, second, third] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw new DumpError(`${location} is in UTF-16. Convert it to UTF-8: iconv -f UTF-16 -t UTF-8`)
  return first === 0xef && second === 0xbb && third === 0xbf ? bytes.subarray(3) : bytes
}
