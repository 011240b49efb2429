/**
 * SQL condition: the reader of the record `alias` likes the work, and everyone may see the record (decision 0018). It
 * must match the condition of the partial indexes on likes. The function `is_liked` makes the same decision for a
 * delta.
 */
export const isLiked = (alias: string) =>
  `${alias}.rate >= 7 and not ${alias}.status_private and not ${alias}.hidden`
