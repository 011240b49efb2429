import type { Label } from '../record-fields.ts'
import type { SameAs } from '../record.ts'

/** Columns that hold the address, or the id in the address, of a page elsewhere. */
const PAGES = [
  ['website', 'website', ''],
  ['bookwalker', 'bookwalker', ''],
  ['bookwalker_id', 'bookwalker', 'https://bookwalker.jp/author/'],
  ['twitter_id', 'twitter', 'https://x.com/'],
  ['bsky_id', 'bluesky', 'https://bsky.app/profile/'],
  ['pixiv_id', 'pixiv', 'https://www.pixiv.net/users/'],
  ['syosetu_id', 'syosetu', 'https://mypage.syosetu.com/'],
  ['kakuyomu_id', 'kakuyomu', 'https://kakuyomu.jp/users/'],
  ['wikidata_id', 'wikidata', 'https://www.wikidata.org/wiki/Q'],
] as const

/** The pages of a person or publisher as labels of site and address. */
export function webLinkLabels(row: Partial<Record<(typeof PAGES)[number][0], string | null>>): Label[] {
  return PAGES.flatMap(([column, key, address]) => {
    const value = row[column]
    return value ? [{ key, value: address + value }] : []
  })
}

/** The same person or publisher at Wikidata. */
export const wikidataOf = (id: string | null): SameAs[] =>
  id !== null && /^[1-9]\d*$/.test(id) ? [{ source: 'wikidata', external_id: id }] : []
