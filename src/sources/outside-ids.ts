import { OUTSIDE_SITES, type IdKind, type OutsideSite, type SiteName } from './registry.ts'

/** Number of an id at another site, as a regular expression in JavaScript and in PostgreSQL. */
export const ID_NUMBER = '[1-9][0-9]{0,14}'

const pageOf = ({ pages }: OutsideSite, kind: IdKind): string =>
  Object.keys(pages).find((page) => pages[page]?.includes(kind)) ?? ''

/** What a site writes before the number of an id: `v` of a galgame at VNDB, nothing where ids are numbers. */
export function idPrefix(name: SiteName, kind: IdKind): string {
  const site = OUTSIDE_SITES[name]
  return site.isLettered ? pageOf(site, kind) : ''
}

/** Whether a text is the id of such a thing at a site. */
export const isIdAt = (name: SiteName, kind: IdKind, text: string) =>
  new RegExp(`^${idPrefix(name, kind)}${ID_NUMBER}$`).test(text)

/** Address of the page that a site has of such a thing. */
export function pageAt(name: SiteName, kind: IdKind, id: string): string {
  const site = OUTSIDE_SITES[name]
  return `https://${site.hosts[0]}/${site.isLettered ? '' : `${pageOf(site, kind)}/`}${id}`
}
