import type { PictureKind } from './picture-kinds.ts'

/** Their name stands beside their picture wherever that is shown. */
const NAMED = new Set<PictureKind>(['person', 'producer', 'character'])

/** What a placeholder has in the place of a portrait or logo; undefined: it has the whole title, as a cover does. */
export const initialOf = (kind: PictureKind, title: string): string | undefined =>
  NAMED.has(kind) ? ([...title.trim()][0]?.toUpperCase() ?? '?') : undefined
