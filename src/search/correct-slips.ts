import type { Database } from '../db/database.ts'
import { distanceOf, mayHaveSlips, slipKeys, slipsOf } from './index/slips.ts'
import type { NameForm } from './text/forms.ts'
import { findAlike } from './word-queries.ts'

/** Words that one of a query may have been meant as. */
const MAX_MEANT = 3
/** Forms that are looked for in place of one. */
const MAX_FORMS = 4

/** What a form of a query may have been meant as: with words that names have in place of those with slips; the nearest first. */
export async function correctSlips(db: Database, forms: NameForm[]): Promise<NameForm[]> {
  const inOnePiece = forms.flatMap(({ words, text }) => (words.length > 1 ? [text] : []))
  const choices = await wordsLike(db, [...forms.flatMap(({ words }) => words), ...inOnePiece])
  const choicesOf = (word: string) => choices.get(word) ?? [word]
  const corrected = forms.flatMap(({ text, words, kind }) =>
    [...combine(words.map(choicesOf)), ...(words.length > 1 ? combine([choicesOf(text)]) : [])]
      .slice(0, MAX_FORMS)
      .map((meant): NameForm => ({ text: meant.join(''), words: meant, kind })),
  )
  return corrected.filter(({ text }) => forms.every((form) => form.text !== text))
}

/** Of words that may have a slip: each itself, then what it may have been meant as, the nearest first. One statement for all. */
async function wordsLike(db: Database, words: string[]): Promise<Map<string, string[]>> {
  const asked = [...new Set(words)].filter(mayHaveSlips)
  const alike = await findAlike(
    db,
    asked.map((word) => ({
      keys: slipKeys(word),
      shortest: word.length - slipsOf(word),
      longest: word.length + slipsOf(word),
    })),
  )
  return new Map(asked.map((word, place) => [word, [word, ...nearest(word, alike[place] ?? [])]]))
}

const nearest = (word: string, alike: string[]) =>
  alike
    .map((other) => ({ other, distance: distanceOf(word, other) }))
    .filter(({ distance }) => distance > 0 && distance <= slipsOf(word))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MAX_MEANT)
    .map(({ other }) => other)

/** Every choice of one word for each place, those with the fewest corrections first. */
function combine(choices: string[][]): string[][] {
  let combined: { words: string[]; corrections: number }[] = [{ words: [], corrections: 0 }]
  for (const words of choices)
    combined = combined
      .flatMap((begun) =>
        words.map((word, place) => ({
          words: [...begun.words, word],
          corrections: begun.corrections + place,
        })),
      )
      .toSorted((a, b) => a.corrections - b.corrections)
      .slice(0, 8)
  return combined.filter(({ corrections }) => corrections > 0).map(({ words }) => words)
}
