import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/database.ts'
import { parseId } from '../http/wire/validation.ts'
import type { ResponseCache } from './response-cache.ts'

/** What every route of the catalog is made with. */
export type CatalogApp = {
  app: FastifyInstance
  db: Database
  cache: ResponseCache
  baseUrl: string
  /** The second family of paths is not in the OpenAPI document (decision 0002). */
  documented: boolean
}

/** @throws {ApiError} `COMMON_NOT_FOUND` when the path names no entry that could be */
export function entryIdOf({ params }: FastifyRequest) {
  // as: every path of an entry has :id, and its text is read by parseId
  return parseId((params as { id: string }).id)
}

/** Does what has to wait for the database; what it throws goes to the error handler, as from any handler. */
export async function handleAsync(reply: FastifyReply, work: () => Promise<void>) {
  await work()
  return reply
}
