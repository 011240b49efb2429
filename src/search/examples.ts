/** Responses for the bundled sample, shortened. A test compares them with the service. */

const CLANNAD = {
  type: 'galgame',
  id: 1,
  title: 'CLANNAD',
  en_title: 'CLANNAD',
  romaji_title: null,
  ko_title: null,
  subtitle: '2004',
  developer: 'Key',
  cover: {
    url: 'https://lain.bgm.tv/pic/cover/l/c5/1c/13_tQxwM.jpg',
    votes: 0,
    width: null,
    height: null,
    sexual: 0,
    violence: 0,
  },
}

export const EXAMPLES = {
  search: {
    items: [CLANNAD],
    meta: { page: 1, page_size: 10, item_count: 1, total_items: 1, total_pages: 1 },
  },
  instant: { groups: [{ type: 'galgame', items: [CLANNAD] }] },
  suggestions: { items: [{ keyword: 'CLANNAD' }] },
}
