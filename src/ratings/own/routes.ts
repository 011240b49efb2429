import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { callerOf } from '../../http/admission/access.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { noRating } from '../../http/wire/errors/feature-refusals.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import {
  sendBareText,
  sendEnvelope,
  sendEnvelopeJson,
  sendNothing,
} from '../../http/wire/errors/send-envelope.ts'
import { accountOf } from '../../http/admission/user-guard.ts'
import { parseId, readBody, refuseFaults } from '../../http/wire/requests/validation.ts'
import {
  RATING_FAULTS,
  RATING_OPERATION,
  READ_RATINGS,
  WORK_OPERATION,
  WRITE_RATINGS,
} from './documentation.ts'
import type { RatingChange } from '../fields.ts'
import { deleteRating, findRating, type RatingKey } from './queries.ts'
import { parseRatingChange, unifyScoreFaults } from './rating-rules.ts'
import { ratingChange, RATINGS } from './schemas.ts'
import { toRatingResponse } from './rating-response.ts'
import type { SaveRating } from './shared-writes.ts'

export type RatingRoutes = {
  app: FastifyInstance
  db: Database
  save: SaveRating
  /** True if user data is on other machines than the catalog. */
  isDistributed: boolean
  /** True for the first path family, where one of the responses has no envelope. */
  isFirst: boolean
}
type IdParams = { Params: { id: string } }

/** Registers the routes of a user's rating of one work (§4.3). */
export function ratingRoutes(routes: RatingRoutes) {
  for (const kind of WORK_KINDS) ratingRoutesOf(routes, kind)
}

function ratingRoutesOf({ app, db, save, isFirst }: RatingRoutes, kind: WorkKind) {
  const { path, singular } = KINDS[kind]
  const url = `/rates/${path}/:id`
  const keyOf = (request: FastifyRequest<IdParams>): RatingKey => ({
    accountId: accountOf(request),
    kind,
    workId: parseId(request.params.id),
  })
  // The example in §2.1 shows only this response without an envelope, and clients depend on it.
  const isBare = kind === 'light_novel' && isFirst
  const sendSaved = isBare ? sendBareText : sendEnvelopeJson
  const rating = Ref(RATINGS[kind])
  const body = ratingChange(kind)
  const fields = Object.keys(body.properties)

  app.put<IdParams>(
    url,
    {
      ...documentedRoute({
        ...WRITE_RATINGS,
        ...WORK_OPERATION,
        operationId: `save${singular}Rating`,
        summary: 'Create your rating of a work, or change the fields that you send',
        body,
        success: { 200: isBare ? rating : Envelope(rating) },
        faults: RATING_FAULTS,
      }),
      attachValidation: true,
    },
    async (request, reply) => {
      const { readable, faults } = readBody<RatingChange>(request, fields)
      const { change, faults: ruleFaults } = parseRatingChange(kind, readable)
      refuseFaults(unifyScoreFaults([...faults, ...ruleFaults]))
      return sendSaved(
        request,
        reply,
        await save(keyOf(request), callerOf(request).clientId, change),
      )
    },
  )

  app.get<IdParams>(
    url,
    documentedRoute({
      ...READ_RATINGS,
      ...RATING_OPERATION,
      operationId: `get${singular}Rating`,
      summary: 'Your rating of a work',
      success: { 200: Envelope(rating) },
    }),
    async (request, reply) => {
      const found = await findRating(db, keyOf(request))
      if (!found) throw noRating()
      return sendEnvelope(request, reply, toRatingResponse(kind, found))
    },
  )

  app.delete<IdParams>(
    url,
    documentedRoute({
      ...WRITE_RATINGS,
      ...WORK_OPERATION,
      operationId: `delete${singular}Rating`,
      summary: 'Delete your rating of a work. Returns 204 even if you have none.',
      ignoresBody: true,
      success: { 204: Type.Null() },
    }),
    async (request, reply) => {
      await deleteRating(db, keyOf(request), callerOf(request).clientId)
      return sendNothing(request, reply)
    },
  )
}
