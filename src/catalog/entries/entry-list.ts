import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import type { Operation } from '../../http/document/operation.ts'
import type { EntryKind } from '../kinds.ts'

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
