import { formsOfName, type NameForm } from '../text/forms.ts'
import { bucketOf } from './buckets.ts'
import type { NamesOfEntry } from './entry-names-queries.ts'
import { addGramKeys, firstBucketKey, gramKey } from './gram-keys.ts'
import { toIsbn13 } from '../../kernel/isbn.ts'
import { mayHaveTypos } from './typos.ts'

/** Row of an entry in the search index. */
export type IndexRow = {
  section: number
  id: number
  readers: number
  names: string
  words: string
  grams: number[]
  /** Words for which queries may contain a typo. */
  vocabulary: string[]
}

/** Marks that precede a title, any other name and an ISBN. `END_MARK` follows each of these names. */
export const TITLE_MARK = '^'
export const OTHER_NAME_MARK = '~'
export const ISBN_MARK = '#'
export const END_MARK = '$'

/**
 * Build a form's additional grams: for its beginning, for the whole form if it is short, for each word, and for an
 * ISBN.
 */
export const headGram = (text: string, length: 1 | 2) => `^${[...text].slice(0, length).join('')}`
export const wholeGram = (text: string) => `^${text}$`
export const wordGram = (word: string) => `=${word}`
export const isbnGram = (isbn: string) => `#${isbn}`

/** Returns whether a form is so short that many other forms may contain it. Short forms are also indexed as a whole. */
export const isShortForm = (text: string) => text.length <= 8

export const bucketKey = (section: number, readers: number, id: number) =>
  firstBucketKey(section) + bucketOf(readers, id)

/** Maximum number of names indexed per entry. Even a manga with a thousand volumes has fewer. */
const MAX_NAMES_PER_ENTRY = 2_000

/** Returns whether a name consists of Han characters only, and so may be Chinese. */
const mayBeChinese = (name: string) =>
  /\p{sc=Han}/u.test(name) && !/[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(name)

/** Builds the index row of an entry from its names. */
export function toIndexRow(
  section: number,
  { id, readers, titles, chinese, aliases, isbns }: NamesOfEntry,
): IndexRow {
  const names = new Set<string>()
  const words = new Set<string>()
  const keys: number[] = []
  const vocabulary = new Set<string>()

  function addForm(form: NameForm, mark: string) {
    names.add(mark + form.text + END_MARK)
    addGramKeys(section, form.text, keys)
    // The form without spaces is included, so that a query may omit the spaces.
    for (const word of [...form.words, form.text]) if (mayHaveTypos(word)) vocabulary.add(word)
    addGrams(headGram(form.text, 1), headGram(form.text, 2))
    if (isShortForm(form.text)) addGrams(wholeGram(form.text))
    if (form.words.length < 2) return
    for (const word of form.words) {
      words.add(word)
      addGrams(wordGram(word))
      // Spellings are unified across word boundaries, so the whole form may lack some grams of its words.
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
    for (const name of new Set(written.slice(0, MAX_NAMES_PER_ENTRY))) {
      if (!name) continue
      for (const form of formsOfName(name, { chinese: isChinese(name) }))
        addForm(form, form.kind === 'name' ? mark : OTHER_NAME_MARK)
    }
  }

  addNames(titles, TITLE_MARK, () => false)
  addNames(chinese, TITLE_MARK, () => true)
  addNames(aliases, OTHER_NAME_MARK, mayBeChinese)
  for (const isbn of isbns.map((text) =>
    toIsbn13((text ?? '').replaceAll(/[^\dXx]/g, '').toUpperCase()),
  ))
    if (isbn) {
      names.add(ISBN_MARK + isbn + END_MARK)
      addGrams(isbnGram(isbn))
    }
  return {
    section,
    id,
    readers,
    names: [...names].join(''),
    words: words.size > 0 ? ` ${[...words].join(' ')} ` : '',
    grams: sortedUnique([...keys, bucketKey(section, readers, id)]),
    vocabulary: [...vocabulary],
  }
}

/** Returns distinct 32-bit numbers in ascending order. */
function sortedUnique(numbers: number[]): number[] {
  const once: number[] = []
  let last: number | undefined
  for (const number of Int32Array.from(numbers).toSorted()) {
    if (number !== last) once.push(number)
    last = number
  }
  return once
}
