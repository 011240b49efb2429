import { gramKey } from './index/gram-keys.ts'
import {
  END_MARK,
  headGram,
  isShortForm,
  OTHER_NAME_MARK,
  TITLE_MARK,
  wholeGram,
  wordGram,
} from './index/index-row.ts'
import { gramsOf, type NameForm } from './text/forms.ts'

/** Match levels of a name, best first. */
export const LEVEL = { title: 0, name: 1, prefix: 2, words: 3, contained: 4 } as const

/**
 * Strings to compare with an entry's names, for one form of the query. Words after the first are rarely needed and
 * become `like` patterns. The database matches plain strings in a third of the time.
 */
export type Pattern = {
  title: string
  name: string
  title_head: string
  name_head: string
  word: string
  other_words: string[]
  /** String to find anywhere in a name. Null if the form only matches at the beginning of names or as whole words. */
  whole: string | null
  /**
   * First word to find anywhere in a name, together with the other words in any order. Null under the same condition
   * as `whole`.
   */
  part: string | null
  other_parts: string[]
}

/** A search in a section for entries that have all of these grams. `form` is the index of the query form. */
export type Probe = { section: number; form: number; keys: number[] }

/** Grams of a form that every match at a level contains, keyed by level. */
export type GramsByLevel = Record<'equal' | 'prefix' | 'words' | 'contained', string[]>

const escaped = (text: string) => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

/** @param isInside whether names that contain the form anywhere also match */
export function patternOf({ text, words }: NameForm, isInside: boolean): Pattern {
  // A form without words has an empty string, which matches every entry.
  const [part = '', ...otherParts] = new Set(words)
  return {
    title: `${TITLE_MARK}${text}${END_MARK}`,
    name: `${OTHER_NAME_MARK}${text}${END_MARK}`,
    title_head: `${TITLE_MARK}${text}`,
    name_head: `${OTHER_NAME_MARK}${text}`,
    word: part && ` ${part} `,
    other_words: otherParts.map((word) => `% ${escaped(word)} %`),
    whole: isInside ? text : null,
    part: isInside ? part : null,
    other_parts: otherParts.map((word) => `%${escaped(word)}%`),
  }
}

/**
 * Returns the grams to search for, keyed by level. The level `contained` has no grams if the form is too short to be
 * searched inside names.
 */
export function gramsByLevel(form: NameForm, isShortKana: boolean): GramsByLevel {
  const whole = longestGrams(gramsOf(form))
  const head = headGram(form.text, [...form.text].length === 1 ? 1 : 2)
  // Grams contained in the head are redundant.
  const prefix = [head, ...whole.filter((gram) => !head.includes(gram))]
  const parts = form.words.flatMap((word) =>
    longestGrams(gramsOf({ ...form, text: word, words: [word] })),
  )
  return {
    equal: isShortForm(form.text) ? [wholeGram(form.text)] : prefix,
    prefix,
    words: [...new Set(form.words)].map(wordGram),
    // A reading of one or two kana occurs in every second name.
    contained:
      isShortKana && form.kind === 'reading'
        ? []
        : form.words.length < 2
          ? whole
          : [...new Set(parts)],
  }
}

/** Returns whether the query consists of one or two kana. */
export const areShortKana = (forms: NameForm[]) =>
  /^[\p{sc=Hiragana}\p{sc=Katakana}]{1,2}$/u.test(forms[0]?.text ?? '')

/** Maximum number of grams per probe. Beyond this number, a gram costs more than it saves in candidates. */
const MAX_KEYS_PER_PROBE = 6

/**
 * Returns the keys of the rarest grams in a section, and an upper bound on the number of entries that have all of them.
 */
export function rarestKeys(
  section: number,
  grams: string[],
  frequencies: ReadonlyMap<number, number>,
) {
  const step = Math.max(1, Math.floor(grams.length / MAX_KEYS_PER_PROBE))
  const keys = grams
    .map((gram, index) => {
      const key = gramKey(section, gram)
      // Among equally rare grams, prefers grams spread over the whole text.
      return { key, size: frequencies.get(key) ?? 0, place: index % step }
    })
    .toSorted((a, b) => a.size - b.size || a.place - b.place)
  return { keys: keys.slice(0, MAX_KEYS_PER_PROBE).map(({ key }) => key), size: keys[0]?.size ?? 0 }
}

/** Returns the most selective grams: trigrams of Latin letters, otherwise bigrams, otherwise single characters. */
function longestGrams(grams: string[]): string[] {
  const long = grams.filter((gram) => [...gram].length >= 2)
  const covered = (pair: string) =>
    long.some((gram) => gram.length > pair.length && gram.includes(pair))
  return long.length === 0 ? grams : long.filter((gram) => !covered(gram))
}
