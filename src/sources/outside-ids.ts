import { OUTSIDE_SITES, type IdKind, type OutsideSite, type SiteName } from './registry.ts'

/** Regular expression for the number of an id at another site, valid in JavaScript and in PostgreSQL. */
export const ID_NUMBER = '[1-9][0-9]{0,14}'

const pageOf = ({ pages }: OutsideSite, kind: IdKind): string =>
  Object.keys(pages).find((page) => pages[page]?.includes(kind)) ?? ''

/**
 * Returns the prefix that a site writes before the number of an id: `v` for galgames at VNDB, empty for plain numbers.
 */
export function idPrefix(name: SiteName, kind: IdKind): string {
  const site = OUTSIDE_SITES[name]
  return site.isLettered ? pageOf(site, kind) : ''
}

/** Whether a text is an id of that kind at a site. */
export const isIdAt = (name: SiteName, kind: IdKind, text: string) =>
  new RegExp(`^${idPrefix(name, kind)}${ID_NUMBER}$`).test(text)

/** Returns the address of the site's page for an id of that kind. */
export function pageAt(name: SiteName, kind: IdKind, id: string): string {
  const site = OUTSIDE_SITES[name]
  return `https://${site.hosts[0]}/${site.isLettered ? '' : `${pageOf(site, kind)}/`}${id}`
}
