/**
 * Orders by the title that viewers see, each with the titles that precede the original one. Lists without any of them
 * are ordered by `listings.name`, the Chinese title or else the original one.
 */
export const NAME_ORDERS = {
  original: [],
  en: ['en', 'romaji'],
  ko: ['ko', 'en', 'romaji'],
  romaji: ['romaji', 'en'],
} as const
export type NameOrder = keyof typeof NAME_ORDERS

/** SQL for the name by which a row of `listings` is ordered. The columns are null where they would repeat `name`. */
export const orderedNameSql = (order: NameOrder | undefined) =>
  order === undefined ? 'name' : `coalesce(name_${order}, name)`
