import { KINDS, type WorkKind } from '../kinds.ts'

export type ListWindow = { offset: number; limit: number | null }

/** Returns the cache key of a work's list, or of one page of it. */
export const listCacheKey = (
  kind: WorkKind,
  id: number,
  name: string,
  { chosen, sort, offset, limit }: ListWindow & { chosen: readonly unknown[]; sort: string },
) => `${KINDS[kind].path}/${id}/${name}?${chosen.join('&')}&${sort}&${offset}&${limit ?? ''}`
