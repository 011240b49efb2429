/** Creates an in-memory cache that evicts the least recently used entry. */
export function memoryCache(maxEntries = 500) {
  const entries = new Map()
  return {
    get(url) {
      const entry = entries.get(url)
      if (entry && entries.delete(url)) entries.set(url, entry)
      return entry
    },
    set(url, entry) {
      entries.delete(url)
      entries.set(url, entry)
      if (entries.size > maxEntries) entries.delete(entries.keys().next().value)
    },
  }
}
