import { KINDS, type EntryKind } from '../../catalog/kinds.ts'

/** Where the page of an entry is. */
export const entryAddress = (kind: EntryKind, id: number) => `/${KINDS[kind].path}/${id}`
