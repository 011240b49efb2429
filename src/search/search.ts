import type { Reads } from '../db/replicas/reads.ts'
import type { EntryKind } from '../catalog/kinds.ts'
import { correctTypos } from './correct-typos.ts'
import { LEVEL } from './probes.ts'
import { findHits } from './find-hits.ts'
import type { FoundHit } from './hit-queries.ts'
import type { Frequencies } from './index/frequencies-queries.ts'
import { SECTIONS } from './index/sections.ts'
import { findByExternalId } from './external-id-queries.ts'
import type { HitKey } from './hit-summary-queries.ts'
import type { NameForm } from './text/forms.ts'
import { parseQuery } from './text/parse-query.ts'
import { MAX_EXACT_TOTAL } from '../http/wire/requests/paging.ts'

export type Searcher = { db: Reads; frequencies: () => Frequencies }

export type SearchOptions = {
  kinds: readonly EntryKind[]
  seesNsfw: boolean
  /** Maximum number of hits, or of hits of each kind if `perKind` is set. */
  limit: number
  perKind?: boolean
  /** Whether to compute the total. */
  counted?: boolean
}

/**
 * Returns the entries that match a query, best first: matches by id, then matches by name.
 *
 * If nothing matches, the query is tried as a folder name, then as a title with its maker, then with typo tolerance,
 * and finally as the longest words of the folder name.
 *
 * @returns `total` is the number of all matches, exact up to `MAX_EXACT_TOTAL`
 */
export async function searchEntries(
  { db, frequencies }: Searcher,
  q: string,
  { kinds, seesNsfw, limit, perKind = false, counted = true }: SearchOptions,
): Promise<{ hits: HitKey[]; total: number }> {
  const sections = SECTIONS.filter(
    ({ kind, nsfw }) => kinds.includes(kind) && (seesNsfw || !nsfw),
  ).map(({ number }) => number)
  const groups = SECTIONS.map(({ kind }) => (perKind ? kinds.indexOf(kind) : 0))
  const { forms, externalId, stripped } = parseQuery(q)
  const named = await findByExternalId(db, externalId, sections)

  const known = frequencies()
  for await (const attempt of attempts()) {
    if (attempt.length === 0) continue
    const { found, total } = await findHits(db, known, {
      forms: attempt,
      sections,
      limit,
      groups,
      counted,
    })
    if (found.length > 0) return mergeResults(named, found, total, limit)
  }
  return { hits: named, total: named.length }

  async function* attempts(): AsyncGenerator<NameForm[]> {
    yield forms
    if (named.length > 0) return
    yield stripped
    yield await withoutMaker(forms)
    yield await correctTypos(db, forms)
    if (stripped.length === 0) return
    yield await correctTypos(db, stripped)
    for (const part of longestWords(stripped)) yield part
  }

  /** Returns the query without a maker's name at its beginning or end: `Key CLANNAD`, `千恋万花 ゆずソフト`. */
  async function withoutMaker(query: NameForm[]): Promise<NameForm[]> {
    const makers = SECTIONS.filter(({ kind }) => kind === 'producer').map(({ number }) => number)
    for (const { name, rest } of splitsOf(query)) {
      const one = { forms: name, sections: makers, limit: 1, groups, counted: false }
      const [best] = (await findHits(db, known, one)).found
      if (best && best.level <= LEVEL.name) return rest
    }
    return []
  }
}

/** Maximum number of words in a maker's name. */
const MAX_MAKER_WORDS = 3

/** Returns the ways to split a query into a maker's name, at either end, and the remaining words. */
function splitsOf(forms: NameForm[]): { name: NameForm[]; rest: NameForm[] }[] {
  const maxWords = Math.max(0, ...forms.map(({ words }) => words.length - 1))
  return Array.from(
    { length: Math.min(MAX_MAKER_WORDS, maxWords) },
    (_, index) => index + 1,
  ).flatMap((count) => [
    { name: partsOf(forms, 0, count), rest: partsOf(forms, count) },
    { name: partsOf(forms, -count), rest: partsOf(forms, 0, -count) },
  ])
}

/** Returns the same slice of every form's words. Forms with no more words than the slice are omitted. */
const partsOf = (forms: NameForm[], start: number, end?: number): NameForm[] =>
  forms.flatMap(({ words, kind }) => {
    const some = words.slice(start, end)
    return some.length > 0 && some.length < words.length
      ? [{ text: some.join(''), words: some, kind }]
      : []
  })

function mergeResults(named: HitKey[], found: FoundHit[], total: number, limit: number) {
  const isNamed = ({ kind, id }: HitKey) =>
    named.some((other) => other.kind === kind && other.id === id)
  const others = found.flatMap(({ section, id }) => {
    const kind = SECTIONS[section]?.kind
    return kind && !isNamed({ kind, id }) ? [{ kind, id }] : []
  })
  const more = named.length - (found.length - others.length)
  return {
    hits: named.length > 0 ? [...named, ...others].slice(0, limit) : others,
    total: Math.min(MAX_EXACT_TOTAL, total + more),
  }
}

/**
 * Returns two lists of forms, made from the words of each form of a folder name: the two longest words joined, then
 * the longest word alone.
 */
function longestWords(forms: NameForm[]): NameForm[][] {
  return [2, 1].map((count) =>
    forms
      .filter(({ words }) => words.length > count)
      .map(({ words, kind }) => {
        const longest = new Set(words.toSorted((a, b) => b.length - a.length).slice(0, count))
        const some = words.filter((word) => longest.has(word))
        return { text: some.join(''), words: some, kind }
      })
      .filter(({ text }) => [...text].length >= 3),
  )
}
