import type { ExternalLink, Label } from '../records/record-fields.ts'
import type { SameAs } from '../records/record.ts'
import { distinctLinks, linkToWebsite } from '../records/web-sites.ts'

/** Columns that hold the address, or the id in the address, of a page elsewhere. */
const PAGES = [
  ['website', 'website', 'Official website', ''],
  ['bookwalker', 'bookwalker', 'BookWalker', ''],
  ['bookwalker_id', 'bookwalker', 'BookWalker', 'https://bookwalker.jp/author/'],
  ['twitter_id', 'twitter', 'X', 'https://x.com/'],
  ['bsky_id', 'bluesky', 'Bluesky', 'https://bsky.app/profile/'],
  ['pixiv_id', 'pixiv', 'pixiv', 'https://www.pixiv.net/users/'],
  ['syosetu_id', 'syosetu', '小説家になろう', 'https://mypage.syosetu.com/'],
  ['kakuyomu_id', 'kakuyomu', 'カクヨム', 'https://kakuyomu.jp/users/'],
  ['wikidata_id', 'wikidata', 'Wikidata', 'https://www.wikidata.org/wiki/Q'],
] as const

type Pages = Partial<Record<(typeof PAGES)[number][0], string | null>>

/** The pages of a person or publisher as labels of site and address. */
export function webLinkLabels(row: Pages): Label[] {
  return PAGES.flatMap(([column, key, , address]) => {
    const value = row[column]
    return value ? [{ key, value: address + value }] : []
  })
}

/** The same pages as links; what is no address, or leads away from the site, is none. */
export const webLinks = (row: Pages): ExternalLink[] =>
  distinctLinks(
    PAGES.map(([column, name, label, address]) => {
      const value = row[column]
      const link = value ? linkToWebsite(address + value) : undefined
      return link?.url.startsWith(address) ? { ...link, name, label } : undefined
    }),
  )

/** The same person or publisher at Wikidata. */
export const wikidataOf = (id: string | null): SameAs[] =>
  id !== null && /^[1-9]\d*$/.test(id) ? [{ source: 'wikidata', external_id: id }] : []
