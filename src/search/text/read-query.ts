import { foldWords } from './fold.ts'
import { distinctForms, type NameForm, formsOfWords } from './forms.ts'
import { readNumerals } from './numerals.ts'

/** An entry named by its id elsewhere. */
export type OutsideId =
  | { isbn: string }
  | { source: 'vndb' | 'bangumi' | 'ranobedb'; external_id: string; kinds: string[] }

export type Query = {
  /** The query as it is written, as it is read, and with numerals as digits; none where nothing can be seen. */
  forms: NameForm[]
  /** What it names by an id; empty for most. */
  outside: OutsideId[]
  /** The forms without what surrounds a title in the name of a folder; empty where nothing of it is there. */
  stripped: NameForm[]
}

/** What a query looks for. */
export function readQuery(q: string): Query {
  return { forms: formsOfQuery(q), outside: [], stripped: [] }
}

function formsOfQuery(q: string): NameForm[] {
  const words = foldWords(q)
  if (words.length === 0) return []
  const numbered = readNumerals(words)
  return distinctForms([...formsOfWords(words), ...(numbered ? formsOfWords(numbered) : [])])
}
