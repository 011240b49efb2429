import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { Type, type TObject, type TSchema } from 'typebox'
import { toCachedResponse } from '../catalog/cached-response.ts'
import { okResponse, otherResponses } from '../catalog/documentation.ts'
import { whyMissing } from '../catalog/merged.ts'
import { maySee, seesNsfw } from '../catalog/visibility.ts'
import { sendCached } from '../catalog/send-cached.ts'
import type { WorkKind } from '../catalog/kinds.ts'
import type { Database } from '../db/database.ts'
import { notFound } from '../http/wire/errors.ts'
import { Id } from '../http/wire/schemas.ts'

/**
 * Sends what readers record of a work with the headers of the catalog's answers; it is not cached.
 *
 * @throws {ApiError} `COMMON_NOT_FOUND` or `WIKI_RESOURCE_MERGED` when there is no such work for this caller
 */
export async function sendOfWork(
  request: FastifyRequest,
  reply: FastifyReply,
  { db, kind, id }: { db: Database; kind: WorkKind; id: number },
  found: { nsfw: boolean; data: unknown } | undefined,
) {
  if (!found) throw await whyMissing(db, kind, id, seesNsfw(request))
  const answer = toCachedResponse({ nsfw: found.nsfw, data: JSON.stringify(found.data) })
  if (!maySee(request, answer)) throw notFound()
  sendCached(request, reply, answer)
  return reply
}

type WorkOperation = {
  operationId: string
  summary: string
  data: TSchema
  /** What `data` may be. */
  example: unknown
  querystring?: TObject
  documented: boolean
}

/** An operation on what readers say of a work, as the OpenAPI document tells it. */
export function documentOfWork(operation: WorkOperation): FastifySchema {
  const { operationId, summary, data, example, querystring, documented } = operation
  return {
    tags: ['Reviews'],
    ...(documented ? { operationId } : { hide: true }),
    summary,
    security: [{ application: ['catalog:read'] }, { user: ['catalog:read'] }],
    params: Type.Object({ id: Id }),
    ...(querystring && { querystring }),
    response: {
      200: okResponse(data, { summary, example }),
      ...otherResponses({ validated: querystring !== undefined }),
    },
  }
}
