import { toIsbn13 } from '../../kernel/isbn.ts'
import {
  SITE_NAMES,
  EXTERNAL_SITES,
  SOURCES,
  type IdKind,
  type SiteName,
} from '../../sources/registry.ts'

/**
 * External id of an entry or a volume: a 13-digit ISBN, or an id in the notation of the source's records with the
 * kinds of records that it may refer to.
 */
export type ExternalId =
  | { isbn: string }
  | { source: SiteName; external_id: string; kinds: readonly IdKind[] }

const sites = Object.values(EXTERNAL_SITES)
const anyOf = (texts: readonly string[]) => texts.map((text) => RegExp.escape(text)).join('|')

const LETTERS = Object.keys(SOURCES.vndb.pages).join('')
const ISBN = /^(?:isbn(?:-?1[03])?[ :]{0,3})?(\d[\d -]{8,18}[\dx])$/
/**
 * Ids without a site name belong to VNDB. Without `id:`, they are accepted only with the prefix `v`, because other
 * prefixes are too ambiguous.
 */
const BARE_ID = new RegExp(String.raw`^(?:(v)|id ?: ?([${LETTERS}]))(\d{1,9})$`)
const PREFIXED_ID = new RegExp(
  String.raw`^(${anyOf(sites.flatMap(({ names }) => names))})[ :#-]{1,3}(?:([a-z]{1,9})[ :#/-]?)?(\d{1,9})$`,
)
const PAGE_URL = new RegExp(
  String.raw`(?:^|[\s./])(${anyOf(sites.flatMap(({ hosts }) => hosts))})\/(?:([a-z]{2,9})\/|([${LETTERS}]))(\d{1,9})(?![0-9a-z])`,
)

/** Returns the id if the query is one, or the id in a URL within the query. Most queries have none. */
export function parseExternalId(query: string): ExternalId | undefined {
  const text = query
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\p{Dash}/gu, '-')
  const isbn = toIsbn13(ISBN.exec(text)?.[1] ?? '')
  if (isbn !== undefined) return { isbn }
  const bare = BARE_ID.exec(text)
  if (bare) return idOf('vndb', bare[1] ?? bare[2], bare[3])
  const prefixed = PREFIXED_ID.exec(text)
  if (prefixed) return idOf(prefixed[1], prefixed[2], prefixed[3])
  const url = PAGE_URL.exec(text)
  return url ? idOf(url[1], url[2] ?? url[3], url[4]) : undefined
}

function idOf(
  named = '',
  page: string | undefined,
  digits: string | undefined,
): ExternalId | undefined {
  const source = SITE_NAMES.find((name) =>
    [...EXTERNAL_SITES[name].names, ...EXTERNAL_SITES[name].hosts].includes(named),
  )
  if (source === undefined) return undefined
  const { pages, isLettered } = EXTERNAL_SITES[source]
  const name = page ?? Object.keys(pages)[0] ?? ''
  const kinds = Object.hasOwn(pages, name) ? pages[name] : undefined
  if (!kinds) return undefined
  const number = String(Number(digits))
  return { source, external_id: isLettered ? name + number : number, kinds }
}
