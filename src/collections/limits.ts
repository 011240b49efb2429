/** Collections of one reader, the default one among them. */
export const MAX_COLLECTIONS = 200

/** Works in one collection; the database's rule (`collections_item_count_check`). */
export const MAX_ITEMS = 10_000
