/** Returns the first item of each key, in order. */
export function distinctBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Item[] {
  const byKey = new Map<string, Item>()
  for (const item of items) byKey.getOrInsert(keyOf(item), item)
  return [...byKey.values()]
}
