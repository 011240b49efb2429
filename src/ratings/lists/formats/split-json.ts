import { fileFault } from '../../../http/wire/errors/feature-refusals.ts'

/** A part of a JSON file: an entry of a list, or what is between two lists. */
export type JsonPiece = {
  /** Names that lead to the list of the entry, of which the outermost has none. Undefined between lists. */
  list: readonly string[] | undefined
  bytes: Buffer
}

/** Bytes looked at in one go. */
const CHUNK = 64 * 1024

/** Bytes of one piece. The largest real one is a page of Bangumi with fifty works: half of it. */
const MAX_PIECE = 512 * 1024

/** Brackets, commas and colons: 50,000 of our own records have about four millions. */
const MAX_MARKS = 6_000_000

/** What JSON is made of beside its values; 0 is any other byte, and a space is nothing. */
const MARKS = new Uint8Array(256)
for (const mark of '{}[],: ') MARKS[mark.charCodeAt(0)] = mark.charCodeAt(0)
for (const blank of '\t\n\r') MARKS[blank.charCodeAt(0)] = 0x20
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA, COLON, BLANK] = [
  0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a, 0x20,
]
const [QUOTE, BACKSLASH] = [0x22, 0x5c]

/**
 * Cuts a JSON file into the entries of its lists and what is between them, without reading either. Read at once, a file
 * of many small values would take seconds, in which nothing else is done, and a hundred times its size. A list here is
 * one that is within no other.
 *
 * @returns undefined in place of a piece is the time to let others have their turn
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` when the file is as no list is
 */
export function* splitJson(bytes: Buffer): Generator<JsonPiece | undefined> {
  /** Of each open object around the list, the name read last. */
  const names: string[] = []
  let name = ''
  let list: readonly string[] | undefined
  /** Objects and lists open within the entry. */
  let depth = 0
  let isEmpty = true
  let marks = 0
  let from = 0
  let rested = 0
  const pieceTo = (to: number): JsonPiece => {
    if (to - from > MAX_PIECE) throw fileFault('file.entry_too_large', { kib: MAX_PIECE / 1024 })
    return { list, bytes: bytes.subarray(from, to) }
  }

  for (let at = 0; at < bytes.length; at += 1) {
    if (at - rested >= CHUNK) {
      rested = at
      yield undefined
    }
    const byte = bytes[at] ?? 0
    const mark = MARKS[byte]
    if (mark === BLANK) continue
    const wasEmpty = isEmpty
    isEmpty = false
    if (byte === QUOTE) {
      const end = endOfText(bytes, at)
      if (list === undefined) name = bytes.toString('latin1', at + 1, Math.min(end, at + CHUNK))
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

/** @returns where the text ends that begins at `from`; past the file when it does not */
function endOfText(bytes: Buffer, from: number): number {
  for (let end = bytes.indexOf(QUOTE, from + 1); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let before = end - 1
    while (bytes[before] === BACKSLASH) before -= 1
    if ((end - before) % 2 === 1) return end
  }
  return bytes.length
}
