/** An answer of the bundled sample, shortened; a test holds it against it. */
export const TAGS_EXAMPLE = {
  items: [{ id: 34, name: '漫画', works: 6 }],
  meta: { page: 1, page_size: 1, item_count: 1, total_items: 62, total_pages: 62 },
}
