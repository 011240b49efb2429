import { notFound } from '../http/wire/refusals.ts'

/** The three kinds of works, by their segment in paths. */
export const WORK_KINDS = { galgames: 'galgame', 'light-novels': 'light_novel', mangas: 'manga' } as const

export type WorkPath = keyof typeof WORK_KINDS
export type WorkKind = (typeof WORK_KINDS)[WorkPath]

/** @throws {ApiError} `COMMON_NOT_FOUND` when the segment of a path is none of a kind of works */
export function parseWorkKind(segment: string): WorkKind {
  const kind = Object.entries(WORK_KINDS).find(([path]) => path === segment)?.[1]
  if (!kind) throw notFound()
  return kind
}
