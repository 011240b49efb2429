import type { ExternalLink, Label } from '../record-fields.ts'
import type { SameAs } from '../record.ts'
import { distinctLinks, linkToSite, linkToWebsite } from '../web-sites.ts'

/** A page elsewhere: `value` is its id at that site, or the whole address where the site is `website`. */
export type Extlink = { site: string; value: string }

/** Links as they are read from the dump. */
export const toExtlinks = (rows: [site: string, value: string][]): Extlink[] =>
  rows.map(([site, value]) => ({ site, value }))

/** The first official website. */
export function websiteOf(links: Extlink[] = []): string | null {
  return links.find(({ site }) => site === 'website')?.value ?? null
}

/** The pages of a novel and of its releases at the sites we know, each once. */
export function linksElsewhere(links: Extlink[]): ExternalLink[] {
  return distinctLinks(
    links.flatMap((link) => {
      if (link.site === 'website') return linkToWebsite(link.value)
      if (link.site !== 'bgmtv') return linkToSite(link.site, link.value)
      return bangumiIdOf([link]).map(({ external_id }) => linkToSite('bgmtv', external_id))
    }),
  )
}

/** The same entry at Bangumi, where VNDB's editors linked it: a subject of a novel, a person of staff. */
function bangumiIdOf(links: Extlink[]): SameAs[] {
  return links.flatMap(({ site, value }) => {
    const id = site === 'bgmtv' ? /^(?:subject\/|person\/)?(\d+)$/.exec(value)?.[1] : undefined
    return id ? [{ source: 'bangumi' as const, external_id: id }] : []
  })
}

/** Ids of the same entry elsewhere that other sources may tell too. */
export function outsideIdsOf(links: Extlink[] = []): SameAs[] {
  const wikidata = links.flatMap(({ site, value }) => {
    const id = site === 'wikidata' ? /^Q?([1-9]\d*)$/.exec(value)?.[1] : undefined
    return id ? [{ source: 'wikidata' as const, external_id: id }] : []
  })
  return [...bangumiIdOf(links), ...wikidata]
}

/** Addresses at the sites on which people and producers have pages; `%` is the place of the id. */
const ADDRESSES: Readonly<Record<string, string>> = {
  website: '%',
  anidb: 'https://anidb.net/cr%',
  anison: 'http://anison.info/data/person/%.html',
  bgmtv: 'https://bgm.tv/person/%',
  bilibili: 'https://space.bilibili.com/%',
  booth_pub: 'https://%.booth.pm/',
  bsky: 'https://bsky.app/profile/%',
  cien: 'https://ci-en.dlsite.com/creator/%',
  discogs: 'https://www.discogs.com/artist/%',
  facebook: 'https://www.facebook.com/%',
  fanbox: 'https://%.fanbox.cc/',
  fantia: 'https://fantia.jp/fanclubs/%',
  gamefaqs_comp: 'https://gamefaqs.gamespot.com/company/%-',
  instagram: 'https://www.instagram.com/%/',
  itch_dev: 'https://%.itch.io/',
  mbrainz: 'https://musicbrainz.org/artist/%',
  mobygames: 'https://www.mobygames.com/person/%',
  mobygames_comp: 'https://www.mobygames.com/company/%',
  patreon: 'https://www.patreon.com/%',
  pixiv: 'https://www.pixiv.net/member.php?id=%',
  scloud: 'https://soundcloud.com/%',
  steam_curator: 'https://store.steampowered.com/curator/%',
  twitter: 'https://x.com/%',
  vgmdb: 'https://vgmdb.net/artist/%',
  vgmdb_org: 'https://vgmdb.net/org/%',
  weibo: 'https://weibo.com/u/%',
  wikidata: 'https://www.wikidata.org/wiki/Q%',
  youtube: 'https://www.youtube.com/@%',
}

/** Links as labels of site and address; at a site we do not know the bare id stands for the address. */
export function extlinkLabels(links: Extlink[] = []): Label[] {
  return links.map(({ site, value }) => ({
    key: site,
    value: (ADDRESSES[site] ?? '%').replace('%', () => value),
  }))
}
