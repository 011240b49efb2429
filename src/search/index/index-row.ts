import { formsOfName, gramsOf, type Form } from '../text/forms.ts'
import { gramKey } from './gram-keys.ts'

/** The names of an entry, as its sources write them. */
export type EntryNames = {
  section: number
  id: number
  readers: number
  titles: string[]
  /** Titles in Chinese. */
  chineseTitles: string[]
  aliases: string[]
}

/** What is stored of an entry. */
export type IndexRow = { section: number; id: number; readers: number; names: string; words: string; grams: number[] }

/** The mark of a form that is a title, and of any other; `END` ends both. */
export const TITLE = '^'
export const OTHER = '~'
export const END = '$'

/** What a form has beside its own grams: its beginnings and, as long as it is short, itself, and its words. */
export const headGram = (text: string, length: 1 | 2) => `^${[...text].slice(0, length).join('')}`
export const wholeGram = (text: string) => `^${text}$`
export const wordGram = (word: string) => `=${word}`

/** Forms up to this length, in characters, have a gram for the whole: two characters tell too little. */
export const isShort = (text: string) => text.length <= 4

export function toIndexRow({ section, id, readers, titles, chineseTitles, aliases }: EntryNames): IndexRow {
  const names = new Set<string>()
  const words = new Set<string>()
  const grams = new Set<string>()
  const add = (form: Form, mark: string) => {
    names.add(mark + form.text + END)
    for (const gram of gramsOf(form)) grams.add(gram)
    grams.add(headGram(form.text, 1)).add(headGram(form.text, 2))
    if (isShort(form.text)) grams.add(wholeGram(form.text))
    if (form.words.length < 2) return
    for (const word of form.words) {
      words.add(word)
      grams.add(wordGram(word))
    }
  }
  const addName = (name: string, chinese: boolean, mark: string) => {
    for (const form of formsOfName(name, { chinese })) add(form, form.kind === 'name' ? mark : OTHER)
  }
  for (const name of titles) addName(name, false, TITLE)
  for (const name of chineseTitles) addName(name, true, TITLE)
  for (const name of aliases) addName(name, false, OTHER)
  return {
    section,
    id,
    readers,
    names: [...names].join(''),
    words: words.size > 0 ? ` ${[...words].join(' ')} ` : '',
    grams: [...new Set([...grams].map((gram) => gramKey(section, gram)))].toSorted((a, b) => a - b),
  }
}
