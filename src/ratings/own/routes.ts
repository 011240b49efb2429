import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { callerOf } from '../../http/admission/access.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { sendBare, sendEnvelope, sendNothing } from '../../http/wire/send-envelope.ts'
import { accountOf } from '../../http/admission/user-guard.ts'
import { parseId, readBody, refuseFaults } from '../../http/wire/validation.ts'
import { documentRating, noRating } from './documentation.ts'
import type { RatingChange } from '../fields.ts'
import { deleteRating, findRating, saveRating, type Rating, type RatingKey } from './queries.ts'
import { readChange } from './rating-rules.ts'
import { ratingChange, RATINGS } from './schemas.ts'
import { toRatingResponse } from './rating-response.ts'

export type RatingRoutes = {
  app: FastifyInstance
  db: Database
  /** Of the first family of paths: it is the one of the document, and the one with the bare answer. */
  documented: boolean
}
type One = { Params: { id: string } }

/** A reader's own record of a work (§4.3). */
export function ratingRoutes(routes: RatingRoutes) {
  for (const kind of WORK_KINDS) ratingRoutesOf(routes, kind)
}

function ratingRoutesOf({ app, db, documented }: RatingRoutes, kind: WorkKind) {
  const { path, singular } = KINDS[kind]
  const url = `/rates/${path}/:id`
  const keyOf = (request: FastifyRequest<One>): RatingKey => ({
    accountId: accountOf(request),
    kind,
    workId: parseId(request.params.id),
  })
  // §2.1: the answer of the one endpoint whose record the specification shows has no envelope; a client breaks otherwise.
  const isBare = kind === 'light_novel' && documented
  const sendSaved = (request: FastifyRequest, reply: FastifyReply, rating: Rating) =>
    isBare
      ? sendBare(request, reply, toRatingResponse(kind, rating))
      : sendEnvelope(request, reply, toRatingResponse(kind, rating))
  const record = Ref(RATINGS[kind])
  const body = ratingChange(kind)
  const known = Object.keys(body.properties)
  const read = { access: 'user', scope: 'status:read' } as const
  const write = { access: 'user', scope: 'status:write' } as const

  app.put<One>(
    url,
    {
      config: write,
      attachValidation: true,
      schema: documentRating({
        operationId: `save${singular}Rating`,
        summary: 'Record what you read or play, or change only the fields you send',
        scope: write.scope,
        names: 'work',
        body,
        success: { 200: isBare ? record : Envelope(record) },
        documented,
      }),
    },
    async (request, reply) => {
      const { readable, faults } = readBody<RatingChange>(request, known)
      const { change, faults: broken } = readChange(kind, readable)
      refuseFaults([...faults, ...broken])
      return sendSaved(
        request,
        reply,
        await saveRating(db, keyOf(request), callerOf(request).clientId, change),
      )
    },
  )

  app.get<One>(
    url,
    {
      config: read,
      schema: documentRating({
        operationId: `get${singular}Rating`,
        summary: 'Your record of a work',
        scope: read.scope,
        names: 'record',
        success: { 200: Envelope(record) },
        documented,
      }),
    },
    async (request, reply) => {
      const rating = await findRating(db, keyOf(request))
      if (!rating) throw noRating()
      return sendEnvelope(request, reply, toRatingResponse(kind, rating))
    },
  )

  app.delete<One>(
    url,
    {
      config: write,
      schema: documentRating({
        operationId: `delete${singular}Rating`,
        summary: 'Delete your record of a work; 204 also when there is none',
        scope: write.scope,
        names: 'work',
        success: { 204: Type.Null() },
        documented,
      }),
    },
    async (request, reply) => {
      await deleteRating(db, keyOf(request), callerOf(request).clientId)
      return sendNothing(request, reply)
    },
  )
}
