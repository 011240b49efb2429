import { ID_NUMBER_PATTERN } from '../../sources/external-ids.ts'
import { EXTERNAL_SITES, type IdKind, type SiteName } from '../../sources/registry.ts'

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
