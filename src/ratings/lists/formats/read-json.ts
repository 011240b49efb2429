import { isJsonObject } from '../../../kernel/is-json-object.ts'
import { setImmediate } from 'node:timers/promises'
import { decodeUtf8, utf8Decoder } from './utf8.ts'
import { fileFault, shortMessage } from '../../../http/wire/errors/feature-refusals.ts'
import { splitJson } from './split-json.ts'
import { MAX_ROWS } from './list-row.ts'

const TURN_BYTES = 64 * 1024

/** Maximum number of bytes outside of lists. */
const MAX_FRAME_BYTES = 64 * 1024

type ListPath = readonly string[]

const isSamePath = (a: ListPath, b: ListPath) =>
  a.length === b.length && a.every((name, index) => name === b[index])

/**
 * Reads a JSON file and passes the entries of its list on one at a time, so that only one is in memory.
 *
 * @param lists paths of accepted lists, such as `['data', 'ratings']`, or `[]` if the file itself is a list
 * @returns the file with empty lists as `frame`, and whether it has one of the accepted lists
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if the file is not JSON
 */
export async function readJson(
  bytes: Buffer,
  { lists, onEntry }: { lists: readonly ListPath[]; onEntry: (entry: unknown) => void },
): Promise<{ frame: unknown; hasList: boolean }> {
  const outside: Buffer[] = []
  let frameBytes = 0
  let otherEntries = 0
  let bytesRead = 0
  for (const piece of splitJson(bytes)) {
    if (piece?.list) {
      const { list } = piece
      const entry = parseJson(piece.bytes)
      if (lists.some((path) => isSamePath(path, list))) onEntry(entry)
      else if ((otherEntries += 1) > MAX_ROWS) throw fileFault('file.too_much_around')
    } else if (piece) {
      outside.push(piece.bytes)
      if ((frameBytes += piece.bytes.length) > MAX_FRAME_BYTES)
        throw fileFault('file.too_much_around')
    }
    bytesRead += piece?.bytes.length ?? TURN_BYTES
    if (bytesRead < TURN_BYTES) continue
    bytesRead = 0
    await setImmediate()
  }
  const frame = parseJson(Buffer.concat(outside))
  return { frame, hasList: lists.some((path) => Array.isArray(memberAt(frame, path))) }
}

function parseJson(bytes: Buffer): unknown {
  const text = decodeUtf8(utf8Decoder(), bytes, true)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw fileFault('file.not_json', { message: shortMessage(error) })
  }
}

function memberAt(value: unknown, path: ListPath): unknown {
  return path.reduce<unknown>(
    (found, name) => (isJsonObject(found) ? found[name] : undefined),
    value,
  )
}
