import type { Reads } from '../db/replicas/reads.ts'
import { editDistance, mayHaveTypos, typoKeys, maxTyposIn } from './index/typos.ts'
import type { NameForm } from './text/forms.ts'
import { findSimilarWords } from './word-queries.ts'

/** Maximum number of corrections tried per word. */
const MAX_CORRECTIONS_PER_WORD = 3
/** Maximum number of corrected forms per query form. */
const MAX_CORRECTED_FORMS = 4

/** Returns corrected versions of a query's forms, made of words that occur in names, closest first. */
export async function correctTypos(db: Reads, forms: NameForm[]): Promise<NameForm[]> {
  const inOnePiece = forms.flatMap(({ words, text }) => (words.length > 1 ? [text] : []))
  const choices = await findCorrections(db, [...forms.flatMap(({ words }) => words), ...inOnePiece])
  const choicesOf = (word: string) => choices.get(word) ?? [word]
  const correctedForms = forms.flatMap(({ text, words, kind }) =>
    [...combine(words.map(choicesOf)), ...(words.length > 1 ? combine([choicesOf(text)]) : [])]
      .slice(0, MAX_CORRECTED_FORMS)
      .map((corrected): NameForm => ({ text: corrected.join(''), words: corrected, kind })),
  )
  return correctedForms.filter(({ text }) => forms.every((form) => form.text !== text))
}

/**
 * Returns each word that may contain a typo, followed by its corrections, closest first. One statement finds the
 * corrections of all words.
 */
async function findCorrections(db: Reads, words: string[]): Promise<Map<string, string[]>> {
  const requested = [...new Set(words)].filter(mayHaveTypos)
  const similar = await findSimilarWords(
    db,
    requested.map((word) => ({
      keys: typoKeys(word),
      shortest: word.length - maxTyposIn(word),
      longest: word.length + maxTyposIn(word),
    })),
  )
  return new Map(
    requested.map((word, index) => [word, [word, ...nearest(word, similar[index] ?? [])]]),
  )
}

const nearest = (word: string, similar: string[]) =>
  similar
    .map((other) => ({ other, distance: editDistance(word, other) }))
    .filter(({ distance }) => distance > 0 && distance <= maxTyposIn(word))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MAX_CORRECTIONS_PER_WORD)
    .map(({ other }) => other)

/** Returns every combination of one choice per word. Combinations with the fewest corrections come first. */
function combine(choices: string[][]): string[][] {
  let combined: { words: string[]; corrections: number }[] = [{ words: [], corrections: 0 }]
  for (const words of choices)
    combined = combined
      .flatMap((partial) =>
        words.map((word, index) => ({
          words: [...partial.words, word],
          corrections: partial.corrections + index,
        })),
      )
      .toSorted((a, b) => a.corrections - b.corrections)
      .slice(0, 8)
  return combined.filter(({ corrections }) => corrections > 0).map(({ words }) => words)
}
