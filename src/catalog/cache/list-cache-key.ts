import { KINDS, type WorkKind } from '../kinds.ts'

export type ListWindow = { offset: number; limit: number | null }

/** Where the response cache has a list of a work, or the part of it that was chosen. */
export const listCacheKey = (
  kind: WorkKind,
  id: number,
  name: string,
  { chosen, sort, offset, limit }: ListWindow & { chosen: readonly unknown[]; sort: string },
) => `${KINDS[kind].path}/${id}/${name}?${chosen.join('&')}&${sort}&${offset}&${limit ?? ''}`
