import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { sendUncached } from '../catalog/cache/send-cached.ts'
import { ENTRY_OPERATION } from '../catalog/catalog-app.ts'
import { missingEntryError } from '../catalog/merged.ts'
import { KINDS, WORK_KINDS, type WorkKind } from '../catalog/kinds.ts'
import type { Reads } from '../db/replicas/reads.ts'
import { documentedRoute } from '../http/document/operation.ts'
import { notFound } from '../http/wire/errors/refusals.ts'
import { parseId } from '../http/wire/requests/validation.ts'
import { Envelope, Ref } from '../http/wire/schemas.ts'

/** OpenAPI settings shared by the operations on a work's reviews. */
export const REVIEW_OPERATION = { ...ENTRY_OPERATION, tag: 'Reviews' } as const

/**
 * Sends data about a work's ratings with the headers of catalog responses, bypassing the cache.
 *
 * @param seesNsfw whether the caller may see adult works; defaults to true
 * @throws {ApiError} `COMMON_NOT_FOUND` or `WIKI_RESOURCE_MERGED` if there is no such work for this caller
 */
export async function sendWorkResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  { db, kind, id, seesNsfw = true }: { db: Reads; kind: WorkKind; id: number; seesNsfw?: boolean },
  found: { nsfw: boolean; data: unknown } | undefined,
) {
  if (!found) throw await missingEntryError(db, kind, id, seesNsfw)
  if (found.nsfw && !seesNsfw) throw notFound()
  return sendUncached(request, reply, { nsfw: found.nsfw, data: JSON.stringify(found.data) })
}

export type DerivedDataAccess = 'catalog' | 'anonymous'

type DerivedData = {
  segment: string
  /** Suffix of the operation id. */
  name: string
  summary: string
  schemaOf: (kind: WorkKind) => TObject
  exampleOf: (kind: WorkKind) => unknown
  /** Returns `data`, or undefined if the work does not exist. */
  find: (kind: WorkKind, workId: number) => Promise<unknown>
}

/**
 * Registers routes for data derived from a work's ratings. The data is public even for adult works, because it does
 * not identify them.
 */
export function derivedDataRoutes(
  app: FastifyInstance,
  db: Reads,
  access: DerivedDataAccess,
  { segment, name, summary, schemaOf, exampleOf, find }: DerivedData,
) {
  for (const kind of WORK_KINDS) {
    const operationId = `get${KINDS[kind].singular}Rating${name}`
    app.get<{ Params: { id: string } }>(
      `/${KINDS[kind].path}/:id/rates/${segment}`,
      documentedRoute({
        ...REVIEW_OPERATION,
        access,
        success: { 200: Envelope(Ref(schemaOf(kind))) },
        example: exampleOf(kind),
        ...(access === 'catalog'
          ? { operationId, summary }
          : {
              operationId: `${operationId}Anonymously`,
              summary: 'Same data without a token. Rate limits apply per client IP address.',
            }),
      }),
      async (request, reply) => {
        const id = parseId(request.params.id)
        const data = await find(kind, id)
        const found = data === undefined ? undefined : { nsfw: false, data }
        return sendWorkResponse(request, reply, { db, kind, id }, found)
      },
    )
  }
}
