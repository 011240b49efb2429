import type { Messages } from '../../pages/messages/en.ts'

type Words = Messages['importPage']['reasons']

/** What the reports of imports say to programs, and the same to readers. */
const REASONS: readonly [RegExp, (words: Words, ...parts: string[]) => string][] = [
  [/^No work of this catalog/, (words) => words.unmatched],
  [/^The same work as (.*), which counts$/s, (words, other = '') => words.twice(other)],
  [/^It is on the blacklist/, (words) => words.blacklist],
  [/^It has neither a vote/, (words) => words.saysNothing],
  [/^There are no (anime|music|films and series) /, (words) => words.otherKind],
  [/^Notes are private at VNDB/, (words) => words.vndbNotes],
  [/^Comments are notes to oneself/, (words) => words.malComments],
  [
    /^Not kept: (\S+)$/,
    (words, field = '') => words.notKept(new Map(Object.entries(words.droppedFields)).get(field) ?? field),
  ],
  [/^The file has (\d+) of (\d+) collections/, (words, some = '', all = '') => words.otherPages(some, all)],
]

/** Why a row does not go in, or what of the file does not, in the reader's language; of a fault which field has it. */
export function reasonText({ importPage }: Messages, reason: string): string {
  for (const [pattern, text] of REASONS) {
    const found = pattern.exec(reason)
    if (found) return text(importPage.reasons, ...found.slice(1))
  }
  return importPage.reasons.invalid(reason)
}
