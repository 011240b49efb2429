import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../db/database.ts'
import type { Operation } from '../http/document/operation.ts'
import { merged, notFound } from '../http/wire/errors/refusals.ts'
import { Id } from '../http/wire/schemas.ts'
import { parseId } from '../http/wire/requests/validation.ts'
import type { EntryLists } from './entries/entry-list.ts'
import type { ResponseCache } from './cache/response-cache.ts'

/** What every route of the catalog is made with. */
export type CatalogApp = {
  app: FastifyInstance
  db: Database
  cache: ResponseCache
  baseUrl: string
  /** What answers for a kind when no ids are named. */
  lists: EntryLists
}

/** What the operations on an entry declare; their answers may be kept by clients. */
export const OF_ENTRY = {
  access: 'catalog',
  params: Type.Object({ id: Id }),
  cacheable: true,
  missing: { notFound: notFound(), merged: merged(42) },
} as const satisfies Partial<Operation>

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
