import { EXTERNAL_SITES, type IdKind, type ExternalSite, type SiteName } from './registry.ts'

/** Matches the number in an id at another site. Valid in JavaScript and in PostgreSQL. */
export const ID_NUMBER_PATTERN = '[1-9][0-9]{0,14}'

const pageOf = ({ pages }: ExternalSite, kind: IdKind): string =>
  Object.keys(pages).find((page) => pages[page]?.includes(kind)) ?? ''

/**
 * Returns the prefix that a site puts before the number in an id: `v` for galgames at VNDB, empty for plain numbers.
 */
export function idPrefix(name: SiteName, kind: IdKind): string {
  const site = EXTERNAL_SITES[name]
  return site.isLettered ? pageOf(site, kind) : ''
}

/** Returns true if a string is a valid id of that kind at a site. */
export const isSiteId = (name: SiteName, kind: IdKind, text: string) =>
  new RegExp(`^${idPrefix(name, kind)}${ID_NUMBER_PATTERN}$`).test(text)

export function pageUrlOf(name: SiteName, kind: IdKind, id: string): string {
  const site = EXTERNAL_SITES[name]
  return `https://${site.hosts[0]}/${site.isLettered ? '' : `${pageOf(site, kind)}/`}${id}`
}
