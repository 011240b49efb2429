/** Readers from which the order among entries is by readers; below, many have the same number and the smaller id is first. */
const MANY = 8
/** Entries of a bucket of those that few have read: ids that differ in the lower bits alone. */
const ID_BITS = 14
/** Buckets of those with many readers: one for each power of two, the largest first. */
const POWERS = 32
/** Buckets kept for each small number of readers: ids up to 17 thousand million. */
const RANGES = 1 << 20

/**
 * Which bucket an entry is in. Whatever is in a bucket comes, at the same level, before all that is in a later one: what is
 * frequent is read bucket by bucket until there is enough.
 */
export function bucketOf(readers: number, id: number): number {
  if (readers >= MANY) return POWERS - 1 - Math.min(POWERS - 1, Math.floor(Math.log2(readers)))
  return (
    POWERS + (MANY - 1 - readers) * RANGES + Math.min(RANGES - 1, Math.floor(id / 2 ** ID_BITS))
  )
}
