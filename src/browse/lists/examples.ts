import { EXAMPLE_TIME } from '../../catalog/example-parts.ts'
import type { EntryKind } from '../../catalog/kinds.ts'

/** Responses for the bundled sample, shortened. A test compares them with the service. */

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
  changed_at: EXAMPLE_TIME,
  ...more,
})

/** First entry of each list, with a page size of one. */
const pageOf = (
  item: object,
  total_items: number,
  next_cursor: string | null = 'WyJqcHJ1U0Z6Y3pDIiwxLDI0LDAsLTFd',
) => ({
  items: [item],
  meta: { page: 1, page_size: 1, item_count: 1, total_items, total_pages: total_items },
  next_cursor,
})

const coverOf = (url: string, size: object) => ({ url, votes: 0, ...size, sexual: 0, violence: 0 })

const CLANNAD = summary('galgame', 1, 'CLANNAD', {
  developer: 'Key',
  cover: coverOf('https://lain.bgm.tv/pic/cover/l/c5/1c/13_tQxwM.jpg', {
    width: null,
    height: null,
  }),
  release_date: '2004-04-28T00:00:00.000Z',
  status: 'RELEASED',
})

/** First works with the tag `key`. */
export const TAGGED_EXAMPLE = pageOf(CLANNAD, 1, null)

export const LIST_EXAMPLES: Record<EntryKind, object> = {
  galgame: pageOf(CLANNAD, 25),
  light_novel: pageOf(
    summary('light_novel', 24, '虚構推理', {
      cover: coverOf('https://images.ranobedb.org/5cEBlBYTYfpWnJLj.jpg', {
        width: 240,
        height: 339,
      }),
      release_date: '2019-01-15T00:00:00.000Z',
      status: 'SERIALIZING',
    }),
    89,
  ),
  manga: pageOf(
    summary('manga', 102, '×××HOLiC', {
      cover: coverOf('https://lain.bgm.tv/pic/cover/l/35/05/495_Ovvsp.jpg', {
        width: null,
        height: null,
      }),
      status: 'FINISHED',
    }),
    22,
  ),
  person: pageOf(summary('person', 1, '麻枝准'), 467),
  producer: pageOf(summary('producer', 1, 'G-Collections'), 129),
  character: pageOf(summary('character', 1, '岡崎朋也', { title: '冈崎朋也' }), 168),
}
