import { KINDS, type EntryKind } from '../../catalog/kinds.ts'

/** Returns the path of an entry's page. */
export const entryPath = (kind: EntryKind, id: number) => `/${KINDS[kind].path}/${id}`

/** Returns the path of a review's page. */
export const reviewPath = (kind: EntryKind, workId: number, id: number) =>
  `${entryPath(kind, workId)}/reviews/${id}`
