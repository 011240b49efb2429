/** Bits of a gram; above them stands the section. */
const HASH_BITS = 28

/**
 * The number under which a gram of a section is indexed. Two grams may share one, about one in two hundred of a large catalog:
 * what is found by numbers is compared by its names.
 */
export const gramKey = (section: number, gram: string): number => (section << HASH_BITS) | hash(gram)

/** FNV-1a over UTF-16, folded to the bits there are. */
function hash(text: string): number {
  let value = 0x81_1c_9d_c5
  for (let index = 0; index < text.length; index += 1) {
    value ^= text.charCodeAt(index)
    value = Math.imul(value, 0x01_00_01_93)
  }
  return (value ^ (value >>> HASH_BITS)) & ((1 << HASH_BITS) - 1)
}
