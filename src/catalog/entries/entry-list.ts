import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import type { Operation } from '../../http/document/operation.ts'
import type { EntryKind } from '../kinds.ts'

/** What a request for entries of a kind is answered with that names none by id; it shares their path. */
export type EntryList = {
  /** Of its query, as the document shows them. */
  parameters: TObject['properties']
  /** `data` of its answer. */
  page: TObject
  example: unknown
  faults: NonNullable<Operation['faults']>
  answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

export type EntryLists = {
  /** Named ones that answers refer to, in the order in which they refer to each other. */
  schemas: TObject[]
  of(kind: EntryKind): EntryList
}
