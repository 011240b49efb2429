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
  const corrected: NameForm[] = []
  for (const form of forms) {
    const meant = await Promise.all(form.words.map((word) => wordsLike(db, word)))
    const inOnePiece = form.words.length > 1 ? combine([await wordsLike(db, form.text)]) : []
    for (const words of [...combine(meant), ...inOnePiece].slice(0, MAX_FORMS))
      corrected.push({ text: words.join(''), words, kind: form.kind })
  }
  return corrected.filter(({ text }) => forms.every((form) => form.text !== text))
}

async function wordsLike(db: Database, word: string): Promise<string[]> {
  if (!mayHaveSlips(word)) return [word]
  const slips = slipsOf(word)
  const alike = await findAlike(db, slipKeys(word), [word.length - slips, word.length + slips])
  return [
    word,
    ...alike
      .map((other) => ({ other, distance: distanceOf(word, other) }))
      .filter(({ distance }) => distance > 0 && distance <= slips)
      .toSorted((a, b) => a.distance - b.distance)
      .slice(0, MAX_MEANT)
      .map(({ other }) => other),
  ]
}

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
