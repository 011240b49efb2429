/**
 * SQL condition: the record `alias` says that its reader likes the work, and everyone may know of the record (decision 0018).
 * The partial indexes on likes have this very condition, and the function `is_liked` decides the same of a delta.
 */
export const liked = (alias: string) =>
  `${alias}.rate >= 7 and not ${alias}.status_private and not ${alias}.hidden`
