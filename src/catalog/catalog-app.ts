import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type TObject, Type } from 'typebox'
import type { Database } from '../db/database.ts'
import type { Reads } from '../db/replicas/reads.ts'
import type { Operation } from '../http/document/operation.ts'
import type { VerifyToken } from '../http/admission/bearer.ts'
import { merged, notFound } from '../http/wire/errors/refusals.ts'
import { Id } from '../http/wire/schemas.ts'
import { parseId } from '../http/wire/requests/validation.ts'
import type { ResponseCache } from './cache/response-cache.ts'
import type { FeedWaiters } from './changes/feed-waiters.ts'
import type { FeedPage } from './changes/queries.ts'
import type { EntryKind } from './kinds.ts'

/** Dependencies shared by the routes of the catalog. */
export type CatalogApp = {
  app: FastifyInstance
  db: Database
  reads: Reads
  cache: ResponseCache
  baseUrl: string
  /** Requests that wait for the change feed. */
  waiters: FeedWaiters<FeedPage>
  verifyToken: VerifyToken
  /** Handlers for list requests, keyed by path without the id. */
  lists: EntryLists
}

/** OpenAPI settings shared by the routes that return a single entry. Clients may cache the responses. */
export const ENTRY_OPERATION = {
  access: 'catalog',
  params: Type.Object({ id: Id }),
  cacheable: true,
  missing: { notFound: notFound(), merged: merged(42) },
} as const satisfies Partial<Operation>

/** @throws {ApiError} `COMMON_NOT_FOUND` if the id in the path is not a possible entry id */
export function entryIdOf({ params }: FastifyRequest) {
  // as: every route of an entry has :id, and parseId validates its text
  return parseId((params as { id: string }).id)
}

/** Runs the asynchronous part of a handler. Rejections reach Fastify's error handler. */
export async function handleAsync(reply: FastifyReply, work: () => Promise<void>) {
  await work()
  return reply
}

/** Handler of requests for entries of a kind without `ids`. It shares the path of the batch route. */
export type EntryList = {
  /** Query parameters in the OpenAPI document. */
  parameters: TObject['properties']
  /** Schema of `data` in the response. */
  page: TObject
  example: unknown
  faults: NonNullable<Operation['faults']>
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

export type EntryLists = {
  /** Named schemas used in responses, dependencies first. */
  schemas: TObject[]
  forKind(kind: EntryKind): EntryList
}
