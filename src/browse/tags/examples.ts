/** Response for the bundled sample, shortened. A test compares it with the service. */
export const TAGS_EXAMPLE = {
  items: [{ id: 14, name: 'fantasy', works: 13 }],
  meta: { page: 1, page_size: 1, item_count: 1, total_items: 99, total_pages: 99 },
}
