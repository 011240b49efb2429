import { isJsonObject } from '../../../kernel/is-json-object.ts'
import { setImmediate } from 'node:timers/promises'
import { decodeUtf8, utf8Decoder } from './utf8.ts'
import { fileFault, shortMessage } from '../../../http/wire/errors/feature-refusals.ts'
import { splitJson } from './split-json.ts'
import { MAX_ROWS } from './list-row.ts'

/** Bytes read between two turns of the event loop. */
const TURN = 64 * 1024

/** Bytes around lists. */
const MAX_AROUND = 64 * 1024

type ListPath = readonly string[]

const isSamePath = (one: ListPath, other: ListPath) =>
  one.length === other.length && one.every((name, index) => name === other[index])

/**
 * Reads a JSON file and hands over the entries of its list one by one, so that no more than one is held.
 *
 * @param lists names that lead to a list: `['data', 'ratings']`; `[]` when the file is a list itself
 * @returns the file without what is in its lists, and whether it has one of those asked for
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` when it is no JSON
 */
export async function readJson(
  bytes: Buffer,
  { lists, take }: { lists: readonly ListPath[]; take: (entry: unknown) => void },
): Promise<{ frame: unknown; hasList: boolean }> {
  const around: Buffer[] = []
  let held = 0
  let entriesAround = 0
  let read = 0
  for (const piece of splitJson(bytes)) {
    if (piece?.list) {
      const { list } = piece
      const entry = parseJson(piece.bytes)
      if (lists.some((path) => isSamePath(path, list))) take(entry)
      else if ((entriesAround += 1) > MAX_ROWS) throw fileFault('file.too_much_around')
    } else if (piece) {
      around.push(piece.bytes)
      if ((held += piece.bytes.length) > MAX_AROUND) throw fileFault('file.too_much_around')
    }
    read += piece?.bytes.length ?? TURN
    if (read < TURN) continue
    read = 0
    await setImmediate()
  }
  const frame = parseJson(Buffer.concat(around))
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
