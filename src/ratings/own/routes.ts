import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { callerOf } from '../../http/admission/access.ts'
import { operation } from '../../http/document/operation.ts'
import { noRating } from '../../http/wire/errors/feature-refusals.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import {
  sendBareText,
  sendEnvelope,
  sendEnvelopeText,
  sendNothing,
} from '../../http/wire/errors/send-envelope.ts'
import { accountOf } from '../../http/admission/user-guard.ts'
import { parseId, readBody, refuseFaults } from '../../http/wire/requests/validation.ts'
import {
  RATING_OPERATION,
  WORK_OPERATION,
  RATING_FAULTS,
  RATINGS_TAG,
  READ_RATINGS,
  WRITE_RATINGS,
} from './documentation.ts'
import type { RatingChange } from '../fields.ts'
import { deleteRating, findRating, saveRating, type RatingKey } from './queries.ts'
import { unifyScoreFaults, parseRatingChange } from './rating-rules.ts'
import { ratingChange, RATINGS } from './schemas.ts'
import { toRatingResponse } from './rating-response.ts'

export type RatingRoutes = {
  app: FastifyInstance
  db: Database
  /** The first family of paths is the one with the bare answer. */
  isFirst: boolean
}
type One = { Params: { id: string } }

/** A reader's own record of a work (§4.3). */
export function ratingRoutes(routes: RatingRoutes) {
  for (const kind of WORK_KINDS) ratingRoutesOf(routes, kind)
}

function ratingRoutesOf({ app, db, isFirst }: RatingRoutes, kind: WorkKind) {
  const { path, singular } = KINDS[kind]
  const url = `/rates/${path}/:id`
  const keyOf = (request: FastifyRequest<One>): RatingKey => ({
    accountId: accountOf(request),
    kind,
    workId: parseId(request.params.id),
  })
  // §2.1: the answer of the one endpoint whose record the specification shows has no envelope; a client breaks otherwise.
  const isBare = kind === 'light_novel' && isFirst
  const sendSaved = isBare ? sendBareText : sendEnvelopeText
  const record = Ref(RATINGS[kind])
  const body = ratingChange(kind)
  const known = Object.keys(body.properties)

  app.put<One>(
    url,
    {
      config: WRITE_RATINGS,
      attachValidation: true,
      schema: operation({
        ...WRITE_RATINGS,
        ...WORK_OPERATION,
        tag: RATINGS_TAG,
        operationId: `save${singular}Rating`,
        summary: 'Record what you read or play, or change only the fields you send',
        body,
        success: { 200: isBare ? record : Envelope(record) },
        faults: RATING_FAULTS,
      }),
    },
    async (request, reply) => {
      const { readable, faults } = readBody<RatingChange>(request, known)
      const { change, faults: broken } = parseRatingChange(kind, readable)
      refuseFaults(unifyScoreFaults([...faults, ...broken]))
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
      config: READ_RATINGS,
      schema: operation({
        ...READ_RATINGS,
        ...RATING_OPERATION,
        tag: RATINGS_TAG,
        operationId: `get${singular}Rating`,
        summary: 'Your record of a work',
        success: { 200: Envelope(record) },
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
      config: WRITE_RATINGS,
      schema: operation({
        ...WRITE_RATINGS,
        ...WORK_OPERATION,
        tag: RATINGS_TAG,
        operationId: `delete${singular}Rating`,
        summary: 'Delete your record of a work; 204 also when there is none',
        ignoresBody: true,
        success: { 204: Type.Null() },
      }),
    },
    async (request, reply) => {
      await deleteRating(db, keyOf(request), callerOf(request).clientId)
      return sendNothing(request, reply)
    },
  )
}
