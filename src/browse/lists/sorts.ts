import type { EntryKind } from '../../catalog/kinds.ts'

/** A column of an order: a value of a key. */
type SortColumn = {
  /** SQL, of a row of `listings`, as the index has it. */
  expression: string
  /** SQL: the type of its parameter. */
  type: string
  /** SQL: the value as a cursor holds it, a number, a text or null. */
  kept: string
  /** Before every entry. */
  start: unknown
  /** The parameter that a cursor's value stands for; undefined when it is none. */
  read(value: unknown): unknown
}

/** A total order of entries: no two have one key, as ids are among them. */
export type Sort = { direction: 'asc' | 'desc'; columns: SortColumn[] }

const SORT_NAMES = ['popularity', 'score', 'date', 'name', 'changed'] as const
export type SortName = (typeof SORT_NAMES)[number]

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)

const number = (column: string, type: string): SortColumn => ({
  expression: column,
  type,
  kept: column,
  start: Number.MAX_SAFE_INTEGER,
  read: (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined),
})
const whole = (column: string): SortColumn => ({
  ...number(column, 'bigint'),
  read: (value) => (isWhole(value) ? value : undefined),
})

/** The smaller id first, in an order that falls. */
const MINUS_ID: SortColumn = { ...whole('-id'), start: 1 }
const ID: SortColumn = { ...whole('id'), start: -1 }

/** The times that a text `YYYY-…` can say. */
const MIN_TIME = Date.UTC(1000, 0, 1)
const MAX_TIME = Date.UTC(9999, 11, 31)
const isTime = (value: number) => value >= MIN_TIME && value <= MAX_TIME
const DAY_MS = 86_400_000

const RELEASED: SortColumn = {
  expression: 'released',
  type: 'date',
  kept: `case when isfinite(released) then released - date '1970-01-01' end`,
  start: 'infinity',
  read(value) {
    if (value === null) return '-infinity'
    if (!isWhole(value) || !isTime(value * DAY_MS)) return undefined
    return new Date(value * DAY_MS).toISOString().slice(0, 10)
  },
}
const CHANGED: SortColumn = {
  expression: 'changed_at',
  type: 'timestamptz',
  kept: '(extract(epoch from changed_at) * 1000)::bigint',
  start: 'infinity',
  read: (value) => (isWhole(value) && isTime(value) ? new Date(value).toISOString() : undefined),
}
const NAME: SortColumn = {
  expression: 'name',
  type: 'text',
  kept: 'name',
  start: '',
  read: (value) =>
    typeof value === 'string' && value.length <= 1_000 && !value.includes('\0') ? value : undefined,
}

const falling = (...columns: SortColumn[]): Sort => ({
  direction: 'desc',
  columns: [...columns, MINUS_ID],
})

/** @param seesNsfw the readers of a person or producer are those of the works that the caller sees */
export function sortOf(name: SortName, seesNsfw: boolean): Sort {
  switch (name) {
    case 'popularity':
      return falling(whole(seesNsfw ? 'readers_full' : 'readers'))
    case 'score':
      return falling(number('score', 'numeric'), whole('readers_full'))
    case 'date':
      return falling(RELEASED)
    case 'changed':
      return falling(CHANGED)
    case 'name':
      return { direction: 'asc', columns: [NAME, ID] }
  }
}

const OF_WORKS: readonly SortName[] = SORT_NAMES

/** The orders of each kind, the usual one first: people and characters have no scores and no dates. */
export const SORTS: Record<EntryKind, readonly SortName[]> = {
  galgame: OF_WORKS,
  light_novel: OF_WORKS,
  manga: OF_WORKS,
  person: ['popularity', 'name', 'changed'],
  producer: ['popularity', 'date', 'name', 'changed'],
  character: ['popularity', 'name', 'changed'],
}
