import { ENTRY_KINDS, isWorkKind, type EntryKind } from '../../catalog/kinds.ts'

/**
 * A part of the index that is asked by itself: the entries of a kind, and of works those that are nsfw apart. So what is
 * frequent is frequent among what a caller may see, and whoever may not see nsfw works never meets one.
 */
export type Section = { number: number; kind: EntryKind; nsfw: boolean }

/** In the order of kinds; the place of each is its number in the tables, so that new ones go to the end. */
export const SECTIONS: readonly Section[] = ENTRY_KINDS.flatMap((kind) =>
  (isWorkKind(kind) ? [false, true] : [false]).map((nsfw) => ({ kind, nsfw })),
).map((section, number) => ({ ...section, number }))

/** The section of an entry, by its number. */
export const sectionOf = (kind: EntryKind, nsfw: boolean): number =>
  SECTIONS.findIndex(
    (section) => section.kind === kind && section.nsfw === (nsfw && isWorkKind(kind)),
  )

/** The sections of a kind, by their numbers. */
export const sectionsOf = (kind: EntryKind): number[] =>
  SECTIONS.filter((section) => section.kind === kind).map(({ number }) => number)
