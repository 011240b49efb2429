import { gramKey } from './index/gram-keys.ts'
import { END, headGram, isShort, OTHER, TITLE, wholeGram, wordGram } from './index/index-row.ts'
import { gramsOf, type NameForm } from './text/forms.ts'

/** How well a name answers a query, best first. */
export const LEVEL = { title: 0, name: 1, prefix: 2, words: 3, contained: 4 } as const

/**
 * What an entry's names are compared with for one form of the query: texts that are looked for, and for words beside the
 * first, which are rarely asked for, patterns of `like`. The database takes a third of the time for the former.
 */
export type Pattern = {
  title: string
  name: string
  title_head: string
  name_head: string
  word: string
  other_words: string[]
  /** Null where it is not looked for inside of names. */
  whole: string | null
  /** Its words, in any order. */
  part: string | null
  other_parts: string[]
}

/** Asks a section for the entries that have all of these grams. `form` is the place of the form they are of. */
export type Probe = { section: number; form: number; keys: number[] }

/** By level the grams that every match of a form has. */
export type GramsByLevel = Record<'equal' | 'prefix' | 'words' | 'contained', string[]>

const escaped = (text: string) => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

/**
 * @param isInside whether it is looked for inside of names too
 */
export function patternOf({ text, words }: NameForm, isInside: boolean): Pattern {
  // What has no words has all of them: an empty text is in every other.
  const [part = '', ...otherParts] = new Set(words)
  return {
    title: `${TITLE}${text}${END}`,
    name: `${OTHER}${text}${END}`,
    title_head: `${TITLE}${text}`,
    name_head: `${OTHER}${text}`,
    word: part && ` ${part} `,
    other_words: otherParts.map((word) => `% ${escaped(word)} %`),
    whole: isInside ? text : null,
    part: isInside ? part : null,
    other_parts: otherParts.map((word) => `%${escaped(word)}%`),
  }
}

/** What to ask for, by level; nothing inside of names where a form is too short for that. */
export function gramsByLevel(form: NameForm, isShortKana: boolean): GramsByLevel {
  const whole = longest(gramsOf(form))
  const head = headGram(form.text, [...form.text].length === 1 ? 1 : 2)
  // What the beginning holds says nothing more.
  const prefix = [head, ...whole.filter((gram) => !head.includes(gram))]
  const parts = form.words.flatMap((word) =>
    longest(gramsOf({ ...form, text: word, words: [word] })),
  )
  return {
    equal: isShort(form.text) ? [wholeGram(form.text)] : prefix,
    prefix,
    words: [...new Set(form.words)].map(wordGram),
    // A reading of one or two kana is in every other name.
    contained:
      isShortKana && form.kind === 'reading'
        ? []
        : form.words.length < 2
          ? whole
          : [...new Set(parts)],
  }
}

/** Whether a query is of one or two kana. */
export const isOfFewKana = (forms: NameForm[]) =>
  /^[\p{sc=Hiragana}\p{sc=Katakana}]{1,2}$/u.test(forms[0]?.text ?? '')

/** More grams narrow down what is left by less than they cost. */
const MAX_KEYS = 6

/** The rarest grams of a list in a section, and about how many entries have them all, at most. */
export function keysIn(section: number, grams: string[], frequencies: ReadonlyMap<number, number>) {
  const step = Math.max(1, Math.floor(grams.length / MAX_KEYS))
  const keys = grams
    .map((gram, place) => {
      const key = gramKey(section, gram)
      // Of those that are equally rare some from all over the text.
      return { key, size: frequencies.get(key) ?? 0, place: place % step }
    })
    .toSorted((a, b) => a.size - b.size || a.place - b.place)
  return { keys: keys.slice(0, MAX_KEYS).map(({ key }) => key), size: keys[0]?.size ?? 0 }
}

/** Those that say most: of Latin threes, else pairs, else single characters. */
function longest(grams: string[]): string[] {
  const long = grams.filter((gram) => [...gram].length >= 2)
  const covered = (pair: string) =>
    long.some((gram) => gram.length > pair.length && gram.includes(pair))
  return long.length === 0 ? grams : long.filter((gram) => !covered(gram))
}
