import { LRUCache } from 'lru-cache'

/** Maximum length of a cached key. Longer keys are rare and would fill memory. */
const MAX_LENGTH = 200

/**
 * Memoizes a pure function of a string, for example of a header that many browsers send with the same value.
 *
 * @param max maximum number of cached values
 */
export function memoize<Value>(
  compute: (text: string) => Value,
  max = 200,
): (text: string) => Value {
  const known = new LRUCache<string, { value: Value }>({ max })
  return (text) => {
    const found = known.get(text)
    if (found) return found.value
    const value = compute(text)
    if (text.length <= MAX_LENGTH) known.set(text, { value })
    return value
  }
}
