/**
 * What is asked of the index of grams are numbers of 32 bits: the section in the upper four, then one bit that tells buckets
 * from grams, and a number of 27 bits.
 */
const SECTION_SHIFT = 28
const BUCKET_BIT = 1 << 27
const HASH_MASK = BUCKET_BIT - 1

/**
 * The number under which a gram of a section is indexed. Two grams may share one, about one in a hundred of a large catalog:
 * what is found by numbers is compared by its names.
 */
export const gramKey = (section: number, gram: string): number =>
  (section << SECTION_SHIFT) | (hashText(gram) & HASH_MASK)

/** The number of the first bucket of a section; the others follow. */
export const firstBucketKey = (section: number): number => (section << SECTION_SHIFT) | BUCKET_BIT

/** FNV-1a over UTF-16, its upper bits mixed into the lower: a number of 32 bits. */
export function hashText(text: string): number {
  let value = 0x81_1c_9d_c5
  for (let index = 0; index < text.length; index += 1) {
    value ^= text.charCodeAt(index)
    value = Math.imul(value, 0x01_00_01_93)
  }
  return value ^ (value >>> 27)
}
