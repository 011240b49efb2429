import { byWorkKind, type EntryKind } from '../../catalog/kinds.ts'
import { orderedNameSql, type NameOrder } from '../name-orders.ts'

/** A column of a sort key. */
type SortColumn = {
  /** SQL expression on a row of `listings`, as in the index. */
  expression: string
  /** SQL type of the parameter. */
  type: string
  /** SQL for the value in a cursor: a number, a string or null. */
  cursorValue: string
  /** Value that sorts before that of any entry. */
  start: unknown
  /** Converts a cursor's value into a parameter, or returns undefined if it is invalid. */
  parse(value: unknown): unknown
}

/** Total order of entries. Keys are unique, because they include the id. */
export type Sort = { direction: 'asc' | 'desc'; columns: SortColumn[] }

const SORT_NAMES = ['popularity', 'score', 'date', 'name', 'changed'] as const
export type SortName = (typeof SORT_NAMES)[number]

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

const number = (column: string, type: string): SortColumn => ({
  expression: column,
  type,
  cursorValue: column,
  start: Number.MAX_SAFE_INTEGER,
  parse: (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined),
})
const integer = (column: string): SortColumn => ({
  ...number(column, 'bigint'),
  parse: (value) => (isInteger(value) ? value : undefined),
})

/** Sorts smaller ids first even in a descending order. */
const NEGATED_ID: SortColumn = { ...integer('-id'), start: 1 }
const ID: SortColumn = { ...integer('id'), start: -1 }

/** Range of times that ISO 8601 strings with four-digit years can represent. */
const MIN_TIME = Date.UTC(1000, 0, 1)
const MAX_TIME = Date.UTC(9999, 11, 31)
const isTime = (value: number) => value >= MIN_TIME && value <= MAX_TIME
const DAY_MS = 86_400_000

const RELEASED: SortColumn = {
  expression: 'released',
  type: 'date',
  cursorValue: `case when isfinite(released) then released - date '1970-01-01' end`,
  start: 'infinity',
  parse(value) {
    if (value === null) return '-infinity'
    if (!isInteger(value) || !isTime(value * DAY_MS)) return undefined
    return new Date(value * DAY_MS).toISOString().slice(0, 10)
  },
}
const CHANGED: SortColumn = {
  expression: 'changed_at',
  type: 'timestamptz',
  cursorValue: '(extract(epoch from changed_at) * 1000)::bigint',
  start: 'infinity',
  parse: (value) => (isInteger(value) && isTime(value) ? new Date(value).toISOString() : undefined),
}
const nameColumn = (order: NameOrder | undefined): SortColumn => ({
  expression: orderedNameSql(order),
  type: 'text',
  cursorValue: orderedNameSql(order),
  start: '',
  parse: (value) =>
    typeof value === 'string' && value.length <= 1_000 && !value.includes('\0') ? value : undefined,
})

const descending = (...columns: SortColumn[]): Sort => ({
  direction: 'desc',
  columns: [...columns, NEGATED_ID],
})

/**
 * @param seesNsfw whether the numbers of users of people and producers include those of nsfw works
 * @param nameOrder titles by which `name` sorts
 */
export function sortOf(name: SortName, seesNsfw: boolean, nameOrder?: NameOrder): Sort {
  switch (name) {
    case 'popularity':
      return descending(integer(seesNsfw ? 'popularity_full' : 'popularity'))
    case 'score':
      return descending(number('weighted_score', 'numeric'), integer('popularity_full'))
    case 'date':
      return descending(RELEASED)
    case 'changed':
      return descending(CHANGED)
    case 'name':
      return { direction: 'asc', columns: [nameColumn(nameOrder), ID] }
  }
}

/** Sort orders available for each kind, the default first. People and characters have no scores and no dates. */
export const SORTS: Record<EntryKind, readonly SortName[]> = {
  ...byWorkKind(() => SORT_NAMES),
  person: ['popularity', 'name', 'changed'],
  producer: ['popularity', 'date', 'name', 'changed'],
  character: ['popularity', 'name', 'changed'],
}
