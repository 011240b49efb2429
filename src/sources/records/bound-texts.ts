/** Maximum characters of a name, title, alias or other short text; the longest in the bundled real rows has 118. */
const MAX_SHORT_TEXT = 1_000
/** Maximum characters of a description, or of a text within an item of a list; the longest in the bundled real rows has 5,538. */
const MAX_LONG_TEXT = 20_000

const IS_DESCRIPTION = /intro$|^summary/

/**
 * Bounds the texts of a record's fields or links in place. Descriptions are cut; other texts, and items of lists, are removed.
 *
 * @returns the names of the fields that were cut, and of those that lack something now
 */
export function boundTexts(stated: Record<string, unknown>): {
  cut: string[]
  incomplete: string[]
} {
  const [cut, incomplete]: [string[], string[]] = [[], []]
  for (const [name, value] of Object.entries(stated)) {
    if (typeof value === 'string' && IS_DESCRIPTION.test(name)) {
      if (value.length <= MAX_LONG_TEXT) continue
      stated[name] = value.slice(0, MAX_LONG_TEXT)
      cut.push(name)
    } else if (Array.isArray(value)) {
      const kept: unknown[] = value.filter((item) => !isTooLong(item))
      if (kept.length === value.length) continue
      stated[name] = kept
      incomplete.push(name)
    } else if (isTooLong(value)) {
      Reflect.deleteProperty(stated, name)
      incomplete.push(name)
    }
  }
  return { cut, incomplete }
}

function isTooLong(value: unknown, limit = MAX_SHORT_TEXT): boolean {
  if (typeof value === 'string') return value.length > limit
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([name, inner]) => name.length > MAX_SHORT_TEXT || isTooLong(inner, MAX_LONG_TEXT),
  )
}
