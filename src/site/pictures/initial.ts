import type { PictureKind } from './picture-kinds.ts'

/** Kinds whose name is always shown next to the picture. */
const KINDS_WITH_INITIAL = new Set<PictureKind>(['person', 'producer', 'character'])

/**
 * Returns the initial that a placeholder shows instead of a portrait or logo; undefined for kinds
 * that show the whole title.
 */
export const initialOf = (kind: PictureKind, title: string): string | undefined =>
  KINDS_WITH_INITIAL.has(kind) ? ([...title.trim()][0]?.toUpperCase() ?? '?') : undefined
