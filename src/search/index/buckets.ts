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
  return POWERS + (MANY - 1 - readers) * RANGES + Math.min(RANGES - 1, Math.floor(id / 2 ** ID_BITS))
}

/** Neighbouring buckets that are read together. */
export type Chunk = { first: number; last: number }

/** All buckets that may have an entry, in order: the first ones few at a time, as most searches need no more. */
export function chunksUpTo(maxId: number): Chunk[] {
  const lastRange = Math.min(RANGES - 1, Math.floor(maxId / 2 ** ID_BITS))
  const powers = POWERS_TOGETHER.map((first, place) => ({
    first,
    last: (POWERS_TOGETHER[place + 1] ?? POWERS) - 1,
  }))
  const few = Array.from({ length: MANY }, (_, place) => {
    const start = POWERS + place * RANGES
    // Those with one reader and those with none are the most.
    if (place < MANY - 2) return [{ first: start, last: start + lastRange }]
    return doublings(lastRange).map(({ first, last }) => ({ first: start + first, last: start + last }))
  })
  return [...powers, ...few.flat()]
}

/** From so many readers on: 2^14, 2^10, 2^8, and below each power of two by itself. */
const POWERS_TOGETHER = [0, 18, 22, 24, 25, 26, 27, 28]

/** 0, 1, 2 to 3, 4 to 7 … */
function doublings(last: number): Chunk[] {
  const chunks = [{ first: 0, last: 0 }]
  for (let first = 1; first <= last; first *= 2) chunks.push({ first, last: Math.min(last, first * 2 - 1) })
  return chunks
}
