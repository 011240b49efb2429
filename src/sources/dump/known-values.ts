/**
 * Known values of a column as written in the dump: a set or a predicate. If `isOptional` is set, rows may lack the
 * column.
 */
export type KnownValues = { has(value: string): boolean; isOptional?: true }

export type KnownColumns = Readonly<Record<string, KnownValues | undefined>>

export const wordsOrNull = (...words: string[]): KnownValues => new Set([...words, '', '\\N'])

export const BOOLEAN: KnownValues = new Set(['t', 'f'])
export const BOOLEAN_OR_NULL = wordsOrNull('t', 'f')

/** Accepts any language tag. Tags are stored unchanged, but titles and booleans are rejected. */
export const LANGUAGE: KnownValues = {
  has: (value) => /^[a-z]{2,3}(?:-[A-Za-z]{2,4})?$/.test(value),
}
