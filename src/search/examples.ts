/** Answers of the bundled sample, shortened; a test holds them against it. */

const CLANNAD = {
  type: 'galgame',
  id: 1,
  title: 'CLANNAD',
  subtitle: '2004',
  developer: 'Key',
  cover: null,
}

export const EXAMPLES = {
  search: {
    items: [CLANNAD],
    meta: { page: 1, page_size: 10, item_count: 1, total_items: 1, total_pages: 1 },
  },
  instant: { groups: [{ type: 'galgame', items: [CLANNAD] }] },
  suggestions: { items: [{ keyword: 'CLANNAD' }] },
}
