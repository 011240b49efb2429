import { sql } from 'kysely'
import { childRows, type ListParts } from '../../dump/tables/lists.ts'
import type { ExternalLink, Label } from '../../records/record-fields.ts'
import type { SameAs } from '../../records/record.ts'
import { distinctLinks, linkToSite, linkToWebsite } from '../../records/web-sites.ts'

/** Link to another site. `value` is the id there, or the URL if the site is `website`. */
export type Extlink = { site: string; value: string }

export const linkParts = (parents: string): ListParts<Extlink> => ({
  from: sql`${childRows(`${parents}_extlinks`, parents)} join dump_extlinks extlink on extlink.id = item.link`,
  columns: { site: 'extlink.site', value: 'extlink.value' },
})

export function websiteOf(links: Extlink[] = []): string | null {
  return links.find(({ site }) => site === 'website')?.value ?? null
}

/** Returns the distinct links of a galgame and its releases to known sites. */
export function externalLinksOf(links: Extlink[]): ExternalLink[] {
  return distinctLinks(
    links.flatMap((link) => {
      if (link.site === 'website') return linkToWebsite(link.value)
      if (link.site !== 'bgmtv') return linkToSite(link.site, link.value)
      return bangumiIdOf([link]).map(({ external_id }) => linkToSite('bgmtv', external_id))
    }),
  )
}

/** Returns the Bangumi id that VNDB's editors linked: a subject for a galgame, a person for staff. */
function bangumiIdOf(links: Extlink[]): SameAs[] {
  return links.flatMap(({ site, value }) => {
    const id = site === 'bgmtv' ? /^(?:subject\/|person\/)?(\d+)$/.exec(value)?.[1] : undefined
    return id ? [{ source: 'bangumi' as const, external_id: id }] : []
  })
}

/** Returns the entry's ids at sites whose ids other sources may also state. */
export function externalIdsOf(links: Extlink[] = []): SameAs[] {
  const wikidata = links.flatMap(({ site, value }) => {
    const id = site === 'wikidata' ? /^Q?([1-9]\d*)$/.exec(value)?.[1] : undefined
    return id ? [{ source: 'wikidata' as const, external_id: id }] : []
  })
  return [...bangumiIdOf(links), ...wikidata]
}

/** URLs of people and producers at other sites. `%` stands for the id. */
const PEOPLE_SITES: Readonly<Record<string, { label: string; page: string }>> = {
  anidb: { label: 'AniDB', page: 'https://anidb.net/cr%' },
  anison: { label: 'Anison', page: 'http://anison.info/data/person/%.html' },
  bgmtv: { label: 'Bangumi', page: 'https://bgm.tv/person/%' },
  bilibili: { label: 'bilibili', page: 'https://space.bilibili.com/%' },
  booth_pub: { label: 'BOOTH', page: 'https://%.booth.pm/' },
  bsky: { label: 'Bluesky', page: 'https://bsky.app/profile/%' },
  cien: { label: 'Ci-en', page: 'https://ci-en.dlsite.com/creator/%' },
  discogs: { label: 'Discogs', page: 'https://www.discogs.com/artist/%' },
  facebook: { label: 'Facebook', page: 'https://www.facebook.com/%' },
  fanbox: { label: 'pixivFANBOX', page: 'https://%.fanbox.cc/' },
  fantia: { label: 'Fantia', page: 'https://fantia.jp/fanclubs/%' },
  gamefaqs_comp: { label: 'GameFAQs', page: 'https://gamefaqs.gamespot.com/company/%-' },
  instagram: { label: 'Instagram', page: 'https://www.instagram.com/%/' },
  itch_dev: { label: 'itch.io', page: 'https://%.itch.io/' },
  mbrainz: { label: 'MusicBrainz', page: 'https://musicbrainz.org/artist/%' },
  mobygames: { label: 'MobyGames', page: 'https://www.mobygames.com/person/%' },
  mobygames_comp: { label: 'MobyGames', page: 'https://www.mobygames.com/company/%' },
  patreon: { label: 'Patreon', page: 'https://www.patreon.com/%' },
  pixiv: { label: 'pixiv', page: 'https://www.pixiv.net/member.php?id=%' },
  scloud: { label: 'SoundCloud', page: 'https://soundcloud.com/%' },
  steam_curator: { label: 'Steam', page: 'https://store.steampowered.com/curator/%' },
  twitter: { label: 'X', page: 'https://x.com/%' },
  vgmdb: { label: 'VGMdb', page: 'https://vgmdb.net/artist/%' },
  vgmdb_org: { label: 'VGMdb', page: 'https://vgmdb.net/org/%' },
  weibo: { label: '微博', page: 'https://weibo.com/u/%' },
  wikidata: { label: 'Wikidata', page: 'https://www.wikidata.org/wiki/Q%' },
  youtube: { label: 'YouTube', page: 'https://www.youtube.com/@%' },
}

const urlOf = ({ site, value }: Extlink): string | undefined =>
  site === 'website' ? value : PEOPLE_SITES[site]?.page.replace('%', () => value)

/**
 * Returns links as labels, with the site as key and the URL as value. For an unknown site, the value is the id itself.
 */
export function extlinkLabels(links: Extlink[] = []): Label[] {
  return links.map((link) => ({ key: link.site, value: urlOf(link) ?? link.value }))
}

/** Returns the distinct links of a person or producer to known sites. */
export function personLinks(links: Extlink[]): ExternalLink[] {
  return distinctLinks(
    links.map((link) => {
      const website = linkToWebsite(urlOf(link))
      const label = PEOPLE_SITES[link.site]?.label
      return website && label !== undefined ? { label, name: link.site, url: website.url } : website
    }),
  )
}
