import { findTitle } from './folder-name.ts'
import { collapseSpaces } from './fold.ts'
import { formsOfName, type NameForm } from './forms.ts'
import { parseExternalId, type ExternalId } from './external-ids.ts'

/** Maximum number of characters read from a query. Clients may send entire paths. */
export const MAX_QUERY_LENGTH = 300

type Query = {
  /**
   * Forms of the query: as written, as read aloud, and with numerals as digits. Empty if the query has no visible
   * characters.
   */
  forms: NameForm[]
  externalId: ExternalId | undefined
  /** Forms of the title if the query looks like a folder name, otherwise empty. */
  stripped: NameForm[]
}

/** Parses a query. It never throws, and is fast for any input. */
export function parseQuery(q: string): Query {
  const query = collapseSpaces(q).slice(0, MAX_QUERY_LENGTH).toWellFormed()
  const forms = formsOfQuery(query)
  const externalId = parseExternalId(query)
  const stripped = externalId ? [] : formsOfQuery(findTitle(query))
  return { forms, externalId, stripped: stripped[0]?.text === forms[0]?.text ? [] : stripped }
}

/** Queries need no pinyin: Chinese characters match the names themselves. */
const formsOfQuery = (text: string) => formsOfName(text, { chinese: false })
