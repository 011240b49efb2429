import { LIST_EXAMPLES } from '../lists/examples.ts'

/** Answers of the bundled sample, shortened; a test holds them against it. */

export const TAGS_EXAMPLE = {
  items: [{ id: 34, name: '漫画', works: 6 }],
  meta: { page: 1, page_size: 1, item_count: 1, total_items: 64, total_pages: 64 },
}

/** Of the tag `key`. */
export const TAGGED_EXAMPLE = LIST_EXAMPLES.galgame
