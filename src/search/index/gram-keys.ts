import { isAlphabetic } from '../text/forms.ts'

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

/** Adds the keys of all grams of a text (`gramsOf`), some more than once: made without the grams, which are most of what an import would hash. */
export function addGramKeys(section: number, text: string, keys: number[]): void {
  const upper = section << SECTION_SHIFT
  // By code units: a pair of surrogates is one character.
  let [first, second] = [SEED, SEED]
  let alphabetic = 0
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0
    const end = at + (code > 0xffff ? 2 : 1)
    const isLetter = isAlphabetic(code)
    alphabetic = isLetter ? alphabetic + 1 : 0
    const one = hashOnto(SEED, text, at, end)
    if (!isLetter) keys.push(upper | (mixed(one) & HASH_MASK))
    if (at > 0) {
      const pair = hashOnto(first, text, at, end)
      keys.push(upper | (mixed(pair) & HASH_MASK))
      if (alphabetic > 2) keys.push(upper | (mixed(hashOnto(second, text, at, end)) & HASH_MASK))
      second = pair
    }
    first = one
    at = end
  }
}

/** FNV-1a over UTF-16, its upper bits mixed into the lower: a number of 32 bits. */
export const hashText = (text: string): number => mixed(hashOnto(SEED, text, 0, text.length))

/** The same of the beginning of a text, up to `end`, without the code units at two places. */
export function hashWithout(text: string, end: number, one: number, other: number): number {
  let hash = SEED
  for (let at = 0; at < end; at += 1)
    if (at !== one && at !== other) hash = hashUnit(hash, text.charCodeAt(at))
  return mixed(hash)
}

const SEED = 0x81_1c_9d_c5

/** The hash of what was hashed to `value` with a part of a text behind it. */
function hashOnto(value: number, text: string, begin: number, end: number): number {
  let hash = value
  for (let index = begin; index < end; index += 1) hash = hashUnit(hash, text.charCodeAt(index))
  return hash
}

const hashUnit = (hash: number, unit: number) => Math.imul(hash ^ unit, 0x01_00_01_93)

const mixed = (value: number) => value ^ (value >>> 27)
