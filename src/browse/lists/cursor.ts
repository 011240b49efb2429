import { createHash } from 'node:crypto'
import type { Fault } from '../../http/wire/errors/fault.ts'
import { validationError } from '../../http/wire/errors/refusals.ts'
import type { Sort } from './sorts.ts'

/**
 * Start of a page: the position after a given entry. Entries added or removed before that position do not shift the
 * page.
 */
export type Cursor = {
  /** Parameters for the sort columns. */
  after: unknown[]
  /** Number of entries before the cursor, as counted by earlier pages. */
  offset: number
  /** Total of the list, as returned with its first page. */
  total: number
}

/** Error for an invalid cursor. */
export const invalidCursor = (code: Fault['code'] = 'cursor.invalid') =>
  validationError([{ field: 'cursor', kind: 'cursor', code }])

const MAX_CURSOR_LENGTH = 4_000

/** Returns a short hash of a list's filters, order and scope. A cursor is valid only for the same hash. */
export const fingerprintOf = (list: unknown): string =>
  createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 10)

/** @param keys sort keys of the last entry before the cursor, as returned by the statement */
export const encodeCursor = (
  list: string,
  keys: unknown[],
  offset: number,
  total: number,
): string => Buffer.from(JSON.stringify([list, offset, total, ...keys])).toString('base64url')

/** @throws {ApiError} `COMMON_VALIDATION_FAILED` if the cursor is invalid or belongs to another list */
export function decodeCursor(text: string, list: string, { columns }: Sort): Cursor {
  const [queryKey, offset, total, ...keys] = parse(text)
  if (typeof queryKey !== 'string') throw invalidCursor()
  if (queryKey !== list) throw invalidCursor('cursor.other_list')
  const after = columns.map((column, index) => column.parse(keys[index]))
  if (
    !isCount(offset) ||
    !isCount(total) ||
    keys.length !== columns.length ||
    after.includes(undefined)
  )
    throw invalidCursor()
  return { after, offset, total }
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && typeof value === 'number' && value >= 0

function parse(text: string): unknown[] {
  if (text.length > MAX_CURSOR_LENGTH || !/^[\w-]+$/.test(text)) return []
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
