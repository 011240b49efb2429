import type { FastifyReply, FastifyRequest } from 'fastify'
import { toCachedResponse } from '../catalog/cache/cached-response.ts'
import { OF_ENTRY } from '../catalog/catalog-app.ts'
import { whyMissing } from '../catalog/merged.ts'
import { sendCached } from '../catalog/cache/send-cached.ts'
import type { WorkKind } from '../catalog/kinds.ts'
import type { Database } from '../db/database.ts'
import { notFound } from '../http/wire/errors/refusals.ts'

/**
 * Sends data about a work's ratings with the headers of catalog responses, bypassing the cache.
 *
 * @param seesNsfw whether the caller may see adult works; true if omitted
 * @throws {ApiError} `COMMON_NOT_FOUND` or `WIKI_RESOURCE_MERGED` if there is no such work for this caller
 */
export async function sendWorkResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    db,
    kind,
    id,
    seesNsfw = true,
  }: { db: Database; kind: WorkKind; id: number; seesNsfw?: boolean },
  found: { nsfw: boolean; data: unknown } | undefined,
) {
  if (!found) throw await whyMissing(db, kind, id, seesNsfw)
  if (found.nsfw && !seesNsfw) throw notFound()
  sendCached(
    request,
    reply,
    toCachedResponse({ nsfw: found.nsfw, data: JSON.stringify(found.data) }),
  )
  return reply
}

/** Summary of operations that have a variant with a token. */
export const WITHOUT_TOKEN = 'The same without a token; requests are counted by client address'

/** Shared by the operations on a work's reviews. */
export const REVIEW_OPERATION = { ...OF_ENTRY, tag: 'Reviews' } as const
