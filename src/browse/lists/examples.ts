import { TIMES_EXAMPLE } from '../../catalog/example-parts.ts'
import type { EntryKind } from '../../catalog/kinds.ts'

/** Answers of the bundled sample, shortened; a test holds them against it. */

const summary = (type: EntryKind, id: number, original_title: string, more: object = {}) => ({
  type,
  id,
  title: original_title,
  original_title,
  developer: null,
  cover: null,
  release_date: null,
  status: null,
  nsfw: false,
  score: null,
  readers: 0,
  changed_at: TIMES_EXAMPLE.updated_at,
  ...more,
})

/** The first entry of each list of one. */
const pageOf = (item: object, total_items: number) => ({
  items: [item],
  meta: { page: 1, page_size: 1, item_count: 1, total_items, total_pages: total_items },
  next_cursor: 'WyJqcHJ1U0Z6Y3pDIiwxLDI0LDAsLTFd',
})

export const LIST_EXAMPLES: Record<EntryKind, object> = {
  galgame: pageOf(
    summary('galgame', 1, 'CLANNAD', {
      developer: 'Key',
      cover: {
        url: 'https://lain.bgm.tv/pic/cover/l/c5/1c/13_tQxwM.jpg',
        votes: 0,
        width: null,
        height: null,
        sexual: 0,
        violence: 0,
      },
      release_date: '2004-04-28T00:00:00.000Z',
      status: 'RELEASED',
    }),
    25,
  ),
  light_novel: pageOf(summary('light_novel', 24, '虚構推理'), 89),
  manga: pageOf(summary('manga', 101, '×××HOLiC'), 22),
  person: pageOf(summary('person', 1, '麻枝准'), 477),
  producer: pageOf(summary('producer', 1, 'Key'), 131),
  character: pageOf(summary('character', 1, '岡崎朋也', { title: '冈崎朋也' }), 172),
}
