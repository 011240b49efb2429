import type { ExternalLink, Label } from '../records/record-fields.ts'
import type { SameAs } from '../records/record.ts'
import { distinctLinks, linkToWebsite } from '../records/web-sites.ts'

/** Columns with the URL of a page at another site, or with the id in that URL. */
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

/** Returns the pages of a person or publisher as labels of site and URL. */
export function webLinkLabels(row: Pages): Label[] {
  return PAGES.flatMap(([column, key, , urlPrefix]) => {
    const value = row[column]
    return value ? [{ key, value: urlPrefix + value }] : []
  })
}

/** Returns the same pages as links. Values that are not URLs, or that lead to another site, are skipped. */
export const webLinks = (row: Pages): ExternalLink[] =>
  distinctLinks(
    PAGES.map(([column, name, label, urlPrefix]) => {
      const value = row[column]
      const link = value ? linkToWebsite(urlPrefix + value) : undefined
      return link?.url.startsWith(urlPrefix) ? { ...link, name, label } : undefined
    }),
  )

/** Returns the Wikidata id of the same person or publisher. */
export const wikidataOf = (id: string | null): SameAs[] =>
  id !== null && /^[1-9]\d*$/.test(id) ? [{ source: 'wikidata', external_id: id }] : []
