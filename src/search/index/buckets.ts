/**
 * Minimum number of users of a popular entry. Less popular entries often have equal numbers of users and are
 * ordered by id.
 */
const MIN_POPULAR_READERS = 8
/** Number of low bits in which the ids in a bucket may differ, for entries that are not popular. */
const BUCKET_ID_BITS = 14
/**
 * Number of buckets for popular entries: one for each power of two of users. Buckets with more users come first.
 */
const POPULAR_BUCKETS = 32
/** Number of buckets reserved for each small number of users, enough for ids up to 17 billion. */
const BUCKETS_PER_READER_COUNT = 1 << 20

/**
 * Returns the bucket of an entry. Among matches of the same level, entries in a bucket precede those in later buckets,
 * so frequent matches are read bucket by bucket until there are enough.
 */
export function bucketOf(readers: number, id: number): number {
  if (readers >= MIN_POPULAR_READERS)
    return POPULAR_BUCKETS - 1 - Math.min(POPULAR_BUCKETS - 1, Math.floor(Math.log2(readers)))
  return (
    POPULAR_BUCKETS +
    (MIN_POPULAR_READERS - 1 - readers) * BUCKETS_PER_READER_COUNT +
    Math.min(BUCKETS_PER_READER_COUNT - 1, Math.floor(id / 2 ** BUCKET_ID_BITS))
  )
}
