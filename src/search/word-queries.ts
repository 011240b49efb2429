import { queryRows } from '../db/query.ts'
import type { Database } from '../db/database.ts'

/** Words that are alike by their beginnings; more are not compared. */
const MAX_ALIKE = 1_000

const ALIKE = `
  select word from search_words
  where slips && $1::integer[] and length(word) between $2 and $3
  order by word
  limit ${MAX_ALIKE}`

/** Words of names that have one of these keys, and that many letters. */
export async function findAlike(
  db: Database,
  keys: number[],
  [from, to]: [number, number],
): Promise<string[]> {
  const rows = await queryRows<{ word: string }>(db, ALIKE, [keys, from, to])
  return rows.map(({ word }) => word)
}
