import { gramKey } from './index/gram-keys.ts'
import { END, headGram, isShort, OTHER, TITLE, wholeGram, wordGram } from './index/index-row.ts'
import { gramsOf, type Form } from './text/forms.ts'

/** How well a name answers a query, best first. */
export const LEVEL = { title: 0, name: 1, prefix: 2, words: 3, contained: 4 } as const

/** What an entry's names are compared with for one form of the query; patterns of `like`. */
export type Pattern = {
  title: string
  name: string
  prefix: string[]
  words: string[]
  contained: string[]
}

/** Asks a section for the entries that have all of these grams. `form` is the place of the form they are of. */
export type Probe = { section: number; form: number; keys: number[] }

/** More grams narrow down what is left less than they cost. */
const MAX_KEYS = 8

const escaped = (text: string) => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

export function patternOf({ text, words }: Form): Pattern {
  const [whole, ...parts] = [text, ...words].map(escaped)
  const start = whole ?? ''
  return {
    title: `%${TITLE}${start}${END}%`,
    name: `%${OTHER}${start}${END}%`,
    prefix: [`%${TITLE}${start}%`, `%${OTHER}${start}%`],
    words: parts.map((word) => `% ${word} %`),
    contained: [...new Set(parts)].map((word) => `%${word}%`),
  }
}

/** Grams that every match of a form has, by level; a list without any can ask nothing. */
export function gramsByLevel(form: Form) {
  const whole = spread(longest(gramsOf({ ...form, words: [form.text] })))
  const parts =
    form.words.length < 2
      ? whole
      : spread(form.words.flatMap((word) => longest(gramsOf({ ...form, text: word, words: [word] }))))
  const head = headGram(form.text, [...form.text].length === 1 ? 1 : 2)
  return {
    equal: isShort(form.text) ? [wholeGram(form.text)] : [head, ...whole],
    prefix: [head, ...whole],
    words: form.words.map(wordGram),
    contained: parts,
  }
}

export const probesOf = (sections: readonly number[], grams: string[], form: number): Probe[] =>
  grams.length === 0
    ? []
    : sections.map((section) => ({ section, form, keys: grams.map((gram) => gramKey(section, gram)) }))

/** Those that say most: of Latin triples, else pairs. */
function longest(grams: string[]): string[] {
  const lengths = grams.map((gram) => [...gram].length)
  const pairs = grams.filter((_gram, index) => (lengths[index] ?? 0) >= 2)
  const covered = (pair: string) => grams.some((gram) => gram.length > pair.length && gram.includes(pair))
  return pairs.length === 0 ? grams : pairs.filter((gram) => !covered(gram))
}

/** So many of them, from everywhere. */
function spread(grams: string[]): string[] {
  const step = Math.max(1, grams.length / MAX_KEYS)
  return Array.from({ length: Math.min(grams.length, MAX_KEYS) }, (_, index) => grams[Math.floor(index * step)] ?? '')
}
