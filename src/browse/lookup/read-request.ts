import { toIsbn13 } from '../../kernel/isbn.ts'
import { MAX_IDS } from '../../catalog/ids.ts'
import { notOneOf, validationError } from '../../http/wire/refusals.ts'
import { readChoices, readValues, type SeveralValues } from '../../http/wire/several-values.ts'
import type { AskedKey, Finder } from './queries.ts'
import { ID_KINDS, SITE_NAMES, OUTSIDE_SITES, type SiteName } from '../../sources/registry.ts'
import { keysOf } from './outside-keys.ts'

export type LookupQuery = {
  source?: SeveralValues
  id?: SeveralValues
  isbn?: SeveralValues
  type?: SeveralValues
}

/** What a request asks for; `ids` as they were sent, each once, in whose order the keys have their places. */
export type LookupRequest = { source: SiteName | 'isbn'; finder: Finder; ids: string[]; keys: AskedKey[] }

const fault = (field: string, message: string) => validationError([{ field, message, code: 'lookup' }])

export const noOutsideId = (text: string, source: SiteName) =>
  fault('id', `${quoted(text)} is no id of ${source}: ${OUTSIDE_SITES[source].idForm}`)
export const noIsbn = (text: string) =>
  fault('isbn', `${quoted(text)} is no ISBN of 10 or 13 digits with the right check digit`)
export const noQuestion = () => fault('id', 'send source with id, such as source=vndb&id=v4, or isbn')

const quoted = (text: string) => JSON.stringify(text.slice(0, 40).toWellFormed())

/** @throws {ApiError} `COMMON_VALIDATION_FAILED` naming the parameter that is wrong */
export function readLookup(query: LookupQuery): LookupRequest {
  const isbns = readIds('isbn', query.isbn)
  if (isbns.length > 0) {
    if (query.source !== undefined || query.id !== undefined)
      throw fault('isbn', 'stands alone: send either isbn, or source with id')
    return { source: 'isbn', finder: 'isbn', ids: isbns, keys: isbns.flatMap(keysOfIsbn) }
  }
  const ids = readIds('id', query.id)
  if (query.source === undefined && ids.length === 0) throw noQuestion()
  const [source, another] = readChoices('source', query.source, SITE_NAMES) ?? []
  if (source === undefined) throw notOneOf('source', SITE_NAMES)
  if (another !== undefined) throw fault('source', 'is one source; ask for each by itself')
  if (ids.length === 0) throw noQuestion()

  const kinds = readChoices('type', query.type, ID_KINDS)
  const keys = ids.flatMap((id, place) => {
    const found = keysOf(source, id, kinds)
    if (!found) throw noOutsideId(id, source)
    return found.map((key) => ({ place, ...key }))
  })
  return { source, finder: source === 'steam' ? 'steam' : 'site', ids, keys }
}

function readIds(field: 'id' | 'isbn', sent: SeveralValues): string[] {
  const ids = readValues(sent).map((text) => text.trim())
  if (ids.length > MAX_IDS) throw fault(field, `names ${ids.length} ids; at most ${MAX_IDS} are possible`)
  return [...new Set(ids)]
}

function keysOfIsbn(text: string, place: number): AskedKey[] {
  const externalId = toIsbn13(text)
  if (externalId === undefined) throw noIsbn(text)
  return (['light_novel', 'light_novel_volume', 'manga', 'manga_volume'] as const).map((kind) => ({
    place,
    kind,
    externalId,
  }))
}
