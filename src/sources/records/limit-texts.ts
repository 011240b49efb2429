/**
 * Maximum length, in characters, of a name, title, alias or other short text. The longest one in the bundled rows has
 * 118 characters.
 */
const MAX_SHORT_TEXT = 1_000
/**
 * Maximum length, in characters, of a description, or of text within a list item. The longest one in the bundled rows
 * has 5,538 characters.
 */
const MAX_LONG_TEXT = 20_000

const IS_DESCRIPTION = /intro$|^summary/

/**
 * Limits the length of the text in a record's fields or links, in place. Long descriptions are truncated. Other text
 * that is too long is removed, and so are list items that contain it.
 *
 * @returns the names of truncated fields and of fields that lost content
 */
export function limitTexts(stated: Record<string, unknown>): {
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
      const shortEnough: unknown[] = value.filter((item) => !isTooLong(item))
      if (shortEnough.length === value.length) continue
      stated[name] = shortEnough
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
