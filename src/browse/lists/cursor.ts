import { createHash } from 'node:crypto'
import type { Fault } from '../../http/wire/errors/fault.ts'
import { validationError } from '../../http/wire/errors/refusals.ts'
import type { Sort } from './sorts.ts'

/** Where a page begins: behind an entry, so that nothing which comes or goes before it moves it. */
export type Cursor = {
  /** Parameters of the order's columns. */
  after: unknown[]
  /** Entries before it, as they were counted on the way. */
  offset: number
  /** Of the whole list, as its first page said. */
  total: number
}

/** The refusal of a cursor that is none. */
export const badCursor = (code: Fault['code'] = 'cursor.invalid') =>
  validationError([{ field: 'cursor', kind: 'cursor', code }])

const MAX_LENGTH = 4_000

/** What a cursor is good for: the same filters, order and scope, told by a short hash. */
export const listKey = (list: unknown): string =>
  createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 10)

/** @param keys of the last entry before the cursor, as its statement keeps them */
export const writeCursor = (list: string, keys: unknown[], offset: number, total: number): string =>
  Buffer.from(JSON.stringify([list, offset, total, ...keys])).toString('base64url')

/** @throws {ApiError} `COMMON_VALIDATION_FAILED` when it is none, or one of another list */
export function readCursor(text: string, list: string, { columns }: Sort): Cursor {
  const [madeFor, offset, total, ...keys] = parse(text)
  if (typeof madeFor !== 'string') throw badCursor()
  if (madeFor !== list) throw badCursor('cursor.other_list')
  const after = columns.map((column, index) => column.read(keys[index]))
  if (
    !isCount(offset) ||
    !isCount(total) ||
    keys.length !== columns.length ||
    after.includes(undefined)
  )
    throw badCursor()
  return { after, offset, total }
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && typeof value === 'number' && value >= 0

function parse(text: string): unknown[] {
  if (text.length > MAX_LENGTH || !/^[\w-]+$/.test(text)) return []
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
