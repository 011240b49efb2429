import { toIsbn13 } from '../../kernel/isbn.ts'
import { MAX_IDS } from '../../catalog/ids.ts'
import type { Fault } from '../../http/wire/errors/fault.ts'
import { notOneOf, validationError } from '../../http/wire/errors/refusals.ts'
import {
  readChoices,
  readMultiValue,
  type SeveralValues,
} from '../../http/wire/requests/multiple-values.ts'
import type { Finder, RequestedKey } from './queries.ts'
import {
  EXTERNAL_SITES,
  ID_KINDS,
  type IdKind,
  SITE_NAMES,
  type SiteName,
} from '../../sources/registry.ts'
import { ID_NUMBER_PATTERN } from '../../sources/external-ids.ts'

export type LookupQuery = {
  source?: SeveralValues
  id?: SeveralValues
  isbn?: SeveralValues
  type?: SeveralValues
}

/** A parsed request. `ids` are the distinct ids as sent; `place` in a key is an index into `ids`. */
export type LookupRequest = {
  source: SiteName | 'isbn'
  finder: Finder
  ids: string[]
  keys: RequestedKey[]
}

const refusal = (field: string, code: Fault['code'], params: Fault['params'] = {}) =>
  validationError([{ field, kind: 'lookup', code, params }])

export const invalidExternalId = (text: string, source: SiteName) =>
  refusal('id', 'lookup.invalid_id', {
    id: quoted(text),
    source,
    form: EXTERNAL_SITES[source].idFormat,
  })
export const invalidIsbn = (text: string) =>
  refusal('isbn', 'lookup.invalid_isbn', { isbn: quoted(text) })
export const missingIds = () => refusal('id', 'lookup.no_question')

const quoted = (text: string) => JSON.stringify(text.slice(0, 40).toWellFormed())

/** @throws {ApiError} `COMMON_VALIDATION_FAILED` naming the invalid parameter */
export function parseLookup(query: LookupQuery): LookupRequest {
  const isbns = parseIds('isbn', query.isbn)
  if (isbns.length > 0) {
    if (query.source !== undefined || query.id !== undefined)
      throw refusal('isbn', 'lookup.isbn_alone')
    return { source: 'isbn', finder: 'isbn', ids: isbns, keys: isbns.flatMap(keysOfIsbn) }
  }
  const ids = parseIds('id', query.id)
  if (query.source === undefined && ids.length === 0) throw missingIds()
  const [source, secondSource] = readChoices('source', query.source, SITE_NAMES) ?? []
  if (source === undefined) throw notOneOf('source', SITE_NAMES)
  if (secondSource !== undefined) throw refusal('source', 'lookup.several_sources')
  if (ids.length === 0) throw missingIds()

  const kinds = readChoices('type', query.type, ID_KINDS)
  const keys = ids.flatMap((id, index) => {
    const found = keysOfId(source, id, kinds)
    if (!found) throw invalidExternalId(id, source)
    return found.map((key) => ({ place: index, ...key }))
  })
  return { source, finder: source === 'steam' ? 'steam' : 'site', ids, keys }
}

function parseIds(field: 'id' | 'isbn', sent: SeveralValues): string[] {
  const ids = readMultiValue(sent).map((text) => text.trim())
  if (ids.length > MAX_IDS)
    throw refusal(field, 'lookup.too_many', { count: ids.length, max: MAX_IDS })
  return [...new Set(ids)]
}

function keysOfIsbn(text: string, index: number): RequestedKey[] {
  const externalId = toIsbn13(text)
  if (externalId === undefined) throw invalidIsbn(text)
  return (['light_novel', 'light_novel_volume', 'manga', 'manga_volume'] as const).map((kind) => ({
    place: index,
    kind,
    externalId,
  }))
}

/** Id at another site, as `source_records` stores it. */
export type ExternalKey = { kind: IdKind; externalId: string }

const ID = new RegExp(`^([a-z])?(${ID_NUMBER_PATTERN})$`, 'i')

/**
 * Returns the keys that an id of a site may refer to.
 *
 * @param kinds kinds that the request names; undefined for the site's default kind. If volumes have the same kind of
 * page as works (subjects of Bangumi), the kind includes its volumes.
 * @returns undefined if the string is not an id of that site
 */
export function keysOfId(
  site: SiteName,
  id: string,
  kinds: readonly IdKind[] | undefined,
): ExternalKey[] | undefined {
  const { pages, isLettered } = EXTERNAL_SITES[site]
  const [, written, number] = ID.exec(id) ?? []
  const letter = written?.toLowerCase()
  if (number === undefined) return undefined
  if (letter !== undefined && !(isLettered && Object.hasOwn(pages, letter))) return undefined

  const onlyPage = letter ?? (kinds ? undefined : Object.keys(pages)[0])
  return Object.entries(pages).flatMap(([page, there]) => {
    if (page !== (onlyPage ?? page)) return []
    const requested = kinds?.flatMap((kind) =>
      there.includes(kind) ? [kind, `${kind}_volume`] : [],
    )
    return there
      .filter((kind) => !requested || requested.includes(kind))
      .map((kind) => ({ kind, externalId: isLettered ? page + number : number }))
  })
}
