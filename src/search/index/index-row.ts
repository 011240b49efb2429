import { formsOfName, type NameForm } from '../text/forms.ts'
import { bucketOf } from './buckets.ts'
import type { NamesOfEntry } from './entry-names-queries.ts'
import { addGramKeys, firstBucketKey, gramKey } from './gram-keys.ts'
import { toIsbn13 } from '../../kernel/isbn.ts'
import { mayHaveSlips } from './slips.ts'

/** What is stored of an entry. */
export type IndexRow = {
  section: number
  id: number
  readers: number
  names: string
  words: string
  grams: number[]
  /** Words that a query may have with a slip in it. */
  vocabulary: string[]
}

/** The mark before a form that is a title, before any other, before an ISBN; `END` ends all. */
export const TITLE = '^'
export const OTHER = '~'
export const ISBN = '#'
export const END = '$'

/** What a form has beside the grams inside of it: its beginnings, its words and, as long as it is short, itself. */
export const headGram = (text: string, length: 1 | 2) => `^${[...text].slice(0, length).join('')}`
export const wholeGram = (text: string) => `^${text}$`
export const wordGram = (word: string) => `=${word}`
export const isbnGram = (isbn: string) => `#${isbn}`

/** Forms so short that many others may contain them have a gram for the whole. */
export const isShort = (text: string) => text.length <= 8

export const bucketKey = (section: number, readers: number, id: number) =>
  firstBucketKey(section) + bucketOf(readers, id)

/** Names of one entry that are indexed; a manga of a thousand volumes has no more. */
const MAX_NAMES = 2_000

/** Written in Han alone: Chinese as far as anybody can tell. */
const mayBeChinese = (name: string) =>
  /\p{sc=Han}/u.test(name) && !/[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(name)

/** The row of an entry of a section, from its names. */
export function toIndexRow(
  section: number,
  { id, readers, titles, chinese, aliases, isbns }: NamesOfEntry,
): IndexRow {
  const names = new Set<string>()
  const words = new Set<string>()
  const keys: number[] = []
  const vocabulary = new Set<string>()

  function addForm(form: NameForm, mark: string) {
    names.add(mark + form.text + END)
    addGramKeys(section, form.text, keys)
    // In one piece as well: nobody has to know where the words of a name end.
    for (const word of [...form.words, form.text]) if (mayHaveSlips(word)) vocabulary.add(word)
    addGrams(headGram(form.text, 1), headGram(form.text, 2))
    if (isShort(form.text)) addGrams(wholeGram(form.text))
    if (form.words.length < 2) return
    for (const word of form.words) {
      words.add(word)
      addGrams(wordGram(word))
      // Spellings are made one over the ends of words, so that the whole may lack what a word alone has.
      addGramKeys(section, word, keys)
    }
  }
  function addGrams(...grams: string[]) {
    for (const gram of grams) keys.push(gramKey(section, gram))
  }
  function addNames(
    written: (string | null)[],
    mark: string,
    isChinese: (name: string) => boolean,
  ) {
    for (const name of new Set(written.slice(0, MAX_NAMES))) {
      if (!name) continue
      for (const form of formsOfName(name, { chinese: isChinese(name) }))
        addForm(form, form.kind === 'name' ? mark : OTHER)
    }
  }

  addNames(titles, TITLE, () => false)
  addNames(chinese, TITLE, () => true)
  addNames(aliases, OTHER, mayBeChinese)
  for (const isbn of isbns.map((text) =>
    toIsbn13((text ?? '').replaceAll(/[^\dXx]/g, '').toUpperCase()),
  ))
    if (isbn) {
      names.add(ISBN + isbn + END)
      addGrams(isbnGram(isbn))
    }
  return {
    section,
    id,
    readers,
    names: [...names].join(''),
    words: words.size > 0 ? ` ${[...words].join(' ')} ` : '',
    grams: sortedOnce([...keys, bucketKey(section, readers, id)]),
    vocabulary: [...vocabulary],
  }
}

/** Each number of 32 bits once, in order. */
function sortedOnce(numbers: number[]): number[] {
  const once: number[] = []
  let last: number | undefined
  for (const number of Int32Array.from(numbers).toSorted()) {
    if (number !== last) once.push(number)
    last = number
  }
  return once
}
