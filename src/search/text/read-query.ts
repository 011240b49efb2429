import { findTitle } from './folder-name.ts'
import { foldWords, squeezeSpaces } from './fold.ts'
import { distinctForms, type NameForm, formsOfWords } from './forms.ts'
import { readNumerals } from './numerals.ts'
import { findOutsideIds, type OutsideId } from './outside-ids.ts'

/** Maximum number of characters read of a query. Programs may send whole paths. */
export const MAX_QUERY_LENGTH = 300

type Query = {
  /** The query as it is written, as it is read aloud, and with its numerals as digits; none where nothing can be seen. */
  forms: NameForm[]
  /** Ids elsewhere that it names; empty for most. */
  outside: OutsideId[]
  /** The forms of the title in it, where it looks like the name of a folder; else empty. */
  stripped: NameForm[]
}

/** What a query looks for. Whatever is in it, this neither throws nor takes long. */
export function readQuery(q: string): Query {
  const query = squeezeSpaces(q).slice(0, MAX_QUERY_LENGTH).toWellFormed()
  const forms = formsOfQuery(query)
  const outside = findOutsideIds(query)
  const stripped = outside.length > 0 ? [] : formsOfQuery(findTitle(query))
  return { forms, outside, stripped: stripped[0]?.text === forms[0]?.text ? [] : stripped }
}

function formsOfQuery(text: string): NameForm[] {
  const words = foldWords(text)
  if (words.length === 0) return []
  const numbered = readNumerals(words)
  return distinctForms([...formsOfWords(words), ...(numbered ? formsOfWords(numbered) : [])])
}
