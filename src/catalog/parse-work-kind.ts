import { notFound } from '../http/wire/errors/refusals.ts'
import { KINDS, WORK_KINDS, type WorkKind } from './kinds.ts'

/** @throws {ApiError} `COMMON_NOT_FOUND` if the path segment does not name a kind of work */
export function parseWorkKind(segment: string): WorkKind {
  const found = WORK_KINDS.find((kind) => KINDS[kind].path === segment)
  if (!found) throw notFound()
  return found
}
