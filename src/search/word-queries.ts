import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Reads } from '../db/replicas/reads.ts'

/** Maximum number of candidate words for each word of the query. */
const MAX_SIMILAR_WORDS = 1_000

/** Keys are passed as array literals, because arrays of different lengths cannot form a two-dimensional array. */
const SIMILAR_WORDS = statement('search.alike').returning<{ place: number; word: string }>(`
  select requested.place::integer as place, candidate.word
  from unnest($1::text[], $2::integer[], $3::integer[]) with ordinality requested (keys, shortest, longest, place)
  cross join lateral (
    select word from search_words
    where slips && requested.keys::integer[] and length(word) between requested.shortest and requested.longest
    order by word
    limit ${MAX_SIMILAR_WORDS}
  ) candidate
  order by requested.place, candidate.word`)

/** Matches words that share a typo key and whose length is in the range. */
export type WordPattern = { keys: number[]; shortest: number; longest: number }

/** Returns the words in names that match each pattern, in the order of the patterns. */
export async function findSimilarWords(db: Reads, requested: WordPattern[]): Promise<string[][]> {
  if (requested.length === 0) return []
  const rows = await queryRows(db, SIMILAR_WORDS, [
    requested.map(({ keys }) => `{${keys.join(',')}}`),
    requested.map(({ shortest }) => shortest),
    requested.map(({ longest }) => longest),
  ])
  const words = requested.map((): string[] => [])
  for (const { place, word } of rows) words[place - 1]?.push(word)
  return words
}
