import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'

/** Words that are alike by their beginnings; more are not compared. */
const MAX_ALIKE = 1_000

/** Lists of keys come as texts, since such of different lengths are no array. */
const ALIKE = statement('search.alike').returning<{ place: number; word: string }>(`
  select asked.place::integer as place, alike.word
  from unnest($1::text[], $2::integer[], $3::integer[]) with ordinality asked (keys, shortest, longest, place)
  cross join lateral (
    select word from search_words
    where slips && asked.keys::integer[] and length(word) between asked.shortest and asked.longest
    order by word
    limit ${MAX_ALIKE}
  ) alike
  order by asked.place, alike.word`)

/** Asks for words that have one of these keys, and that many letters. */
export type AskedWord = { keys: number[]; shortest: number; longest: number }

/** The words of names that each of those asked for may have been meant as, in the same order. */
export async function findAlike(db: Database, asked: AskedWord[]): Promise<string[][]> {
  if (asked.length === 0) return []
  const rows = await queryRows(db, ALIKE, [
    asked.map(({ keys }) => `{${keys.join(',')}}`),
    asked.map(({ shortest }) => shortest),
    asked.map(({ longest }) => longest),
  ])
  const words = asked.map((): string[] => [])
  for (const { place, word } of rows) words[place - 1]?.push(word)
  return words
}
