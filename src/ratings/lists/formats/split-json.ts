import { fileFault } from '../../../http/wire/errors/feature-refusals.ts'

/** Part of a JSON file: an entry of a list, or the bytes between two lists. */
type JsonPiece = {
  /** Path of the entry's list, empty if the file itself is the list. Undefined between lists. */
  list: readonly string[] | undefined
  bytes: Buffer
}

/** Number of bytes scanned between two turns of the event loop. */
const CHUNK_BYTES = 64 * 1024

/** Maximum size of a piece, in bytes. The largest real piece, a Bangumi page with fifty works, is half that size. */
const MAX_PIECE_BYTES = 512 * 1024

/** Maximum number of brackets, commas and colons. An export of 50,000 ratings has about four million. */
const MAX_MARKS = 6_000_000

/** Structural characters, keyed by byte: white space maps to a space, any other byte to 0. */
const MARKS = new Uint8Array(256)
for (const mark of '{}[],: ') MARKS[mark.charCodeAt(0)] = mark.charCodeAt(0)
for (const blank of '\t\n\r') MARKS[blank.charCodeAt(0)] = 0x20
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA, COLON, BLANK] = [
  0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a, 0x20,
]
const [QUOTE, BACKSLASH] = [0x22, 0x5c]

/**
 * Splits a JSON file into the entries of its outermost lists and the bytes between them, without parsing either.
 * Parsing a file of many small values at once would block the event loop for seconds and take a hundred times the
 * file's size in memory.
 *
 * @returns pieces, or undefined if the caller should yield to the event loop
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if the file exceeds a limit or ends within a list
 */
export function* splitJson(bytes: Buffer): Generator<JsonPiece | undefined> {
  /** Latest member name in each open object around the list. */
  const names: string[] = []
  let name = ''
  let list: readonly string[] | undefined
  /** Number of objects and lists that are open within the entry. */
  let depth = 0
  let isEmpty = true
  let marks = 0
  let from = 0
  let lastTurn = 0
  const pieceTo = (to: number): JsonPiece => {
    if (to - from > MAX_PIECE_BYTES)
      throw fileFault('file.entry_too_large', { kib: MAX_PIECE_BYTES / 1024 })
    return { list, bytes: bytes.subarray(from, to) }
  }

  for (let at = 0; at < bytes.length; at += 1) {
    if (at - lastTurn >= CHUNK_BYTES) {
      lastTurn = at
      yield undefined
    }
    const byte = bytes[at] ?? 0
    const mark = MARKS[byte]
    if (mark === BLANK) continue
    const wasEmpty = isEmpty
    isEmpty = false
    if (byte === QUOTE) {
      const end = endOfString(bytes, at)
      if (list === undefined)
        name = bytes.toString('latin1', at + 1, Math.min(end, at + CHUNK_BYTES))
      at = end
    }
    if (!mark) continue
    if ((marks += 1) > MAX_MARKS) throw fileFault('file.too_many_values')

    if (list === undefined) {
      if (mark === OPEN) names.push('')
      else if (mark === CLOSE) names.pop()
      else if (mark === COLON) names.splice(-1, 1, name)
      else if (mark === OPEN_LIST) {
        yield pieceTo(at + 1)
        list = [...names]
        from = at + 1
        isEmpty = true
      }
    } else if (mark === OPEN || mark === OPEN_LIST) depth += 1
    else if (depth > 0) depth -= mark === CLOSE || mark === CLOSE_LIST ? 1 : 0
    else if (mark === COMMA) {
      yield pieceTo(at)
      from = at + 1
    } else if (mark === CLOSE_LIST) {
      if (!wasEmpty) yield pieceTo(at)
      list = undefined
      from = at
    }
  }
  if (list !== undefined) throw fileFault('file.json_cut_off')
  yield pieceTo(bytes.length)
}

/** Returns the index of the closing quote of the string at `from`, or the length of the file if it is missing. */
function endOfString(bytes: Buffer, from: number): number {
  for (let end = bytes.indexOf(QUOTE, from + 1); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let before = end - 1
    while (bytes[before] === BACKSLASH) before -= 1
    if ((end - before) % 2 === 1) return end
  }
  return bytes.length
}
