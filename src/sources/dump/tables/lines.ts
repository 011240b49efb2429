import { DumpError } from '../dump-error.ts'

/** Some lines that follow each other; null is a line that is not UTF-8. */
export type LineBlock = {
  lines: (string | null)[]
  /** The number of the first of them, from 1. */
  number: number
  /** Where the first of them begins, in bytes. */
  offset: number
}

/** The longest rows of real dumps are below 1 MB; a longer one would only fill the memory. */
const MAX_ROW_BYTES = 16 * 1024 * 1024

const NEWLINE = 0x0a

/**
 * The lines of a text in UTF-8, divided at `\n` alone: `node:readline` also divides at U+2028, which descriptions hold.
 *
 * A byte-order mark is left out, and so is a carriage return at the end of a line, the trace of a file that passed
 * through Windows.
 *
 * @param start where the bytes begin in their file, when not at its beginning
 * @throws {DumpError} naming the place, for UTF-16 and for a line of more than 16 MB
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  place: string,
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
        `${place}:${number}: a row of more than ${MAX_ROW_BYTES / 1024 / 1024} MB`,
      )
  }
  const takeBlock = (): LineBlock => {
    const bytes = rest.length === 1 && rest[0] ? rest[0] : Buffer.concat(rest)
    const block = { lines: decodeLines(withoutMark(bytes, offset, place)), number, offset }
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

// `ignoreBOM` keeps U+FEFF, which a decoder would else leave out at the beginning of every block.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Text of bytes that have to be UTF-8; null where they are not. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

function decodeLines(bytes: Uint8Array): (string | null)[] {
  const text = decodeText(bytes)
  const lines = text === null ? divide(bytes).map(decodeText) : text.split('\n')
  return lines.map((line) => (line?.endsWith('\r') ? line.slice(0, -1) : line))
}

function divide(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  let from = 0
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
    lines.push(bytes.subarray(from, end))
    from = end + 1
  }
  return [...lines, bytes.subarray(from)]
}

function withoutMark(bytes: Uint8Array, offset: number, place: string): Uint8Array {
  if (offset > 0) return bytes
  const [one, two, three] = bytes
  if ((one === 0xff && two === 0xfe) || (one === 0xfe && two === 0xff))
    throw new DumpError(
      `${place} is in UTF-16. Dumps are in UTF-8: iconv -f UTF-16 -t UTF-8 makes it so.`,
    )
  return one === 0xef && two === 0xbb && three === 0xbf ? bytes.subarray(3) : bytes
}
