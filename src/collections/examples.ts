/** Answers for the OpenAPI document; a test holds them against its schemas. */

export const PUBLIC_COLLECTION = {
  id: 3021873329440212,
  name: 'Quiet endings',
  description: 'To be read in winter.',
  owner: { id: 7, name: 'Nagisa', picture: null },
  item_count: 1,
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:30:00.000Z',
}

export const PUBLIC_ITEMS = {
  items: [
    {
      type: 'galgame',
      id: 2718281828459045,
      work_type: 'GALGAME',
      work_id: 1,
      work: { id: 1, name: 'CLANNAD', trans_name: null, image: null },
      note: 'With tissues.',
      created_at: '2026-11-21T08:30:00.000Z',
      added_at: '2026-11-21T08:30:00.000Z',
      updated_at: '2026-11-21T08:30:00.000Z',
      galgame: {
        id: 1,
        origin_title: 'CLANNAD',
        trans_title: null,
        release_date: '2004-04-28T00:00:00.000Z',
        nsfw: false,
        covers: [],
        producers: [
          {
            role: 'DEVELOPER',
            note: '',
            producer: { id: 24, name: 'Key', trans_name: null, image: null },
          },
        ],
      },
    },
  ],
  meta: { page: 1, page_size: 10, item_count: 1, total_items: 1, total_pages: 1 },
  type_counts: { total: 1, galgame: 1, light_novel: 0, manga: 0, article: 0, post: 0 },
}
