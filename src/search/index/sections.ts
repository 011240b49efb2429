import { ENTRY_KINDS, isWorkKind, WORK_KINDS, type EntryKind } from '../../catalog/kinds.ts'

/**
 * A part of the index that is searched separately: the entries of a kind, with nsfw works in a separate section.
 * Frequencies therefore describe only what a caller may see, and callers without access never read nsfw works.
 */
export type Section = { number: number; kind: EntryKind; nsfw: boolean }

/** All sections in the order of kinds. Tables store the position of a section, so new sections must be appended. */
export const SECTIONS: readonly Section[] = ENTRY_KINDS.flatMap((kind) =>
  (isWorkKind(kind) ? [false, true] : [false]).map((nsfw) => ({ kind, nsfw })),
).map((section, number) => ({ ...section, number }))

/** Returns the section number of an entry. */
export const sectionOf = (kind: EntryKind, nsfw: boolean): number =>
  SECTIONS.findIndex(
    (section) => section.kind === kind && section.nsfw === (nsfw && isWorkKind(kind)),
  )

/** Returns the section numbers of a kind. */
export const sectionsOf = (kind: EntryKind): number[] =>
  SECTIONS.filter((section) => section.kind === kind).map(({ number }) => number)

/**
 * SQL for the popularity of the entry of `listing`. The popularity of a person, producer or character is the sum over
 * their works and counts for a 64th, so that a work precedes a minor character of the same name in a more popular work.
 */
export const POPULARITY = `listing.popularity / case when listing.kind in (${WORK_KINDS.map((kind) => `'${kind}'`).join(', ')}) then 1 else 64 end`
