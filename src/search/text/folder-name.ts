import {
  NUMBERED_WORDS,
  FILE_SUFFIXES,
  LEGAL_FORMS,
  RELEASE_ENDINGS,
  RELEASE_WORDS,
} from './release-words.ts'

const BRACKETS: Readonly<Record<string, string>> = {
  '[': ']',
  '(': ')',
  '{': '}',
  '【': '】',
  '〔': '〕',
  '〖': '〗',
}
const CLOSING = new Set(Object.values(BRACKETS))

const RELEASE_NUMBERS = [
  // Dates: 181130, 20181130, 2018-11-30, 2018年11月.
  /^(?:19|20)?\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/,
  /^(?:19|20)\d{2}[-./年](?:0?[1-9]|1[0-2])(?:[-./月](?:(?:0?[1-9]|[12]\d|3[01])日?)?)?$/,
  // Versions: v1.02, ver.1.0, 1.0.2.
  /^v(?:er)?\.?\d{1,4}(?:\.\d{1,4}){0,4}[a-z]?$/,
  /^\d{1,4}(?:\.\d{1,4}){1,4}[a-z]?$/,
  // Parts: disc2, vol.3, 第4巻.
  /^(?:disc|disk|cd|dvd|vol|part)\.?\d{1,3}$/,
  /^第?\d{1,3}[巻卷册冊話话]$/,
]

/**
 * Extracts the title from the name of a folder or file: `乙女の剣と秘めごとコンチェルト` from `[181130][ensemble] 乙女の剣と秘めごとコンチェルト
 * v1.02 DL版`.
 *
 * Drops bracketed text, dates, versions, edition words, legal forms of companies and file suffixes. If nothing is left
 * outside brackets, returns the longest title inside them, or an empty string.
 */
export function findTitle(name: string): string {
  const { outside, inside } = splitBrackets(dropSuffixes(name.normalize('NFKC')))
  const candidates = [
    dropReleaseWords(outside),
    ...inside.map(dropReleaseWords).toSorted((a, b) => b.length - a.length),
  ]
  return candidates.find((title) => title !== '') ?? ''
}

function dropSuffixes(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 && FILE_SUFFIXES.has(name.slice(dot + 1).toLowerCase())
    ? dropSuffixes(name.slice(0, dot))
    : name
}

/**
 * Returns the text outside all brackets, and the contents of the outermost pairs of brackets. Unpaired brackets count
 * as spaces.
 */
function splitBrackets(name: string): { outside: string; inside: string[] } {
  let outside = ''
  const inside: string[] = []
  const open: string[] = []
  let start = 0
  for (let at = 0; at < name.length; at++) {
    const char = name.charAt(at)
    const closing = BRACKETS[char]
    if (closing !== undefined && name.includes(closing, at)) {
      if (open.length === 0) start = at + 1
      open.push(closing)
    } else if (char === open.at(-1)) {
      open.pop()
      if (open.length === 0) inside.push(name.slice(start, at))
      outside += ' '
    } else if (open.length === 0)
      outside += closing === undefined && !CLOSING.has(char) ? char : ' '
  }
  // Overlapping brackets stay open, because the title may come after them.
  return open.length === 0
    ? { outside, inside }
    : { outside: `${outside} ${name.slice(start)}`, inside }
}

function dropReleaseWords(text: string): string {
  const words = text
    .split(/[\s_]+/)
    .map(dropEnding)
    .map(dropLegalForm)
  const relevant = words.filter((word, index) => {
    const folded = word.toLowerCase()
    const isCounted =
      /^\d{1,3}$/.test(word) && NUMBERED_WORDS.has(words[index - 1]?.toLowerCase() ?? '')
    return (
      !isCounted &&
      !RELEASE_WORDS.has(folded) &&
      !RELEASE_NUMBERS.some((pattern) => pattern.test(folded))
    )
  })
  return relevant.some((word) => /[\p{L}\p{N}]/u.test(word)) ? relevant.join(' ').trim() : ''
}

/** Drops an edition word such as `体験版` even without a space before it. */
function dropEnding(word: string): string {
  const lower = word.toLowerCase()
  const ending = RELEASE_ENDINGS.find((ending) => lower.endsWith(ending)) ?? ''
  return word.slice(0, word.length - ending.length)
}

/** Drops a legal form such as `株式会社`, even without a space before or after the name. */
function dropLegalForm(word: string): string {
  const before = LEGAL_FORMS.find((form) => word.startsWith(form)) ?? ''
  const behind = LEGAL_FORMS.find((form) => word.endsWith(form)) ?? ''
  return word.slice(before.length, word.length - behind.length) || word
}
