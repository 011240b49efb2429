import { isAlphabetic } from '../text/forms.ts'

/**
 * Index keys are 32-bit numbers: four bits for the section, one bit that distinguishes buckets from grams, and 27 bits
 * for the gram or bucket.
 */
const SECTION_SHIFT = 28
const BUCKET_BIT = 1 << 27
const HASH_MASK = BUCKET_BIT - 1

/**
 * Returns the key of a gram in a section. Different grams may share a key (about one in a hundred in a large catalog),
 * so matches are verified against the names.
 */
export const gramKey = (section: number, gram: string): number =>
  (section << SECTION_SHIFT) | (hashText(gram) & HASH_MASK)

/** Returns the key of the first bucket of a section. The keys of its other buckets follow. */
export const firstBucketKey = (section: number): number => (section << SECTION_SHIFT) | BUCKET_BIT

/**
 * Adds the keys of all grams of a string (`gramsOf`), possibly repeated. The gram strings are not created, because
 * that would dominate the cost of an import.
 */
export function addGramKeys(section: number, text: string, keys: number[]): void {
  const upper = section << SECTION_SHIFT
  // Works on code units: a surrogate pair counts as one character.
  let [first, second] = [SEED, SEED]
  let alphabetic = 0
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0
    const end = at + (code > 0xffff ? 2 : 1)
    const isLetter = isAlphabetic(code)
    alphabetic = isLetter ? alphabetic + 1 : 0
    const one = extendHash(SEED, text, at, end)
    if (!isLetter) keys.push(upper | (mixBits(one) & HASH_MASK))
    if (at > 0) {
      const pair = extendHash(first, text, at, end)
      keys.push(upper | (mixBits(pair) & HASH_MASK))
      if (alphabetic > 2)
        keys.push(upper | (mixBits(extendHash(second, text, at, end)) & HASH_MASK))
      second = pair
    }
    first = one
    at = end
  }
}

/** Returns a 32-bit FNV-1a hash over UTF-16, with the upper bits mixed into the lower ones. */
export const hashText = (text: string): number => mixBits(extendHash(SEED, text, 0, text.length))

/** Hashes the text up to `end`, skipping the code units at two positions. */
export function hashWithout(text: string, end: number, one: number, other: number): number {
  let hash = SEED
  for (let at = 0; at < end; at += 1)
    if (at !== one && at !== other) hash = hashUnit(hash, text.charCodeAt(at))
  return mixBits(hash)
}

const SEED = 0x81_1c_9d_c5

/** Extends a hash with a part of a string. */
function extendHash(value: number, text: string, begin: number, end: number): number {
  let hash = value
  for (let index = begin; index < end; index += 1) hash = hashUnit(hash, text.charCodeAt(index))
  return hash
}

const hashUnit = (hash: number, unit: number) => Math.imul(hash ^ unit, 0x01_00_01_93)

const mixBits = (value: number) => value ^ (value >>> 27)
