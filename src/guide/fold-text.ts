import { foldWords } from '../search/text/fold.ts'

/** Separators of the parts of a text. Parts are folded one by one, because folding limits the length of a name. */
const BETWEEN_PARTS = /[\s/。、，．,.:;：；]+/

/** Returns the folded words of a text of any length, separated by spaces, as the search of the catalog folds names. */
export const foldText = (text: string): string =>
  text
    .split(BETWEEN_PARTS)
    .flatMap((part) => (part === '' ? [] : foldWords(part)))
    .join(' ')

/** Whether a folded text contains every word of a folded query. */
export const containsWords = (folded: string, query: string): boolean =>
  query.split(' ').every((word) => folded.includes(word))
