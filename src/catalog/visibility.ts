import type { FastifyRequest } from 'fastify'
import type { Reads } from '../db/replicas/reads.ts'
import { callerOf } from '../http/admission/access.ts'
import { notFound } from '../http/wire/errors/refusals.ts'
import type { EntryKind } from './kinds.ts'
import { missingEntryError } from './merged.ts'

export const seesNsfw = (request: FastifyRequest) => callerOf(request).scopes.has('catalog:full')

export const maySee = (request: FastifyRequest, { nsfw }: { nsfw: boolean }) =>
  !nsfw || seesNsfw(request)

/** @throws {ApiError} if the entry does not exist or is hidden from the caller */
export async function requireVisible<Found extends { nsfw: boolean }>(
  response: Found | undefined,
  request: FastifyRequest,
  db: Reads,
  kind: EntryKind,
  id: number,
): Promise<Found> {
  if (!response) throw await missingEntryError(db, kind, id, seesNsfw(request))
  if (!maySee(request, response)) throw notFound()
  return response
}
