import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { noReview, noVote, ownReview } from '../../http/wire/errors/feature-refusals.ts'
import { notOneOf } from '../../http/wire/errors/refusals.ts'
import { Envelope, Id, Ref } from '../../http/wire/schemas.ts'
import { sendEnvelope, sendNothing } from '../../http/wire/errors/send-envelope.ts'
import { accountOf } from '../../http/admission/user-guard.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { READ_RATINGS, WRITE_RATINGS } from '../own/documentation.ts'
import { ReviewVote, VOTE_VALUES, VoteBody } from './schemas.ts'
import { deleteVote, findVote, saveVote } from './vote-queries.ts'

type IdParams = { Params: { id: string } }

const URL = '/reviews/:id/vote'
const REVIEW = { tag: 'Reviews', params: Type.Object({ id: Id }) }

/** Registers the routes for a user's votes on reviews (decision 0013). The id in the path is the rating's. */
export function voteRoutes({ app, db }: { app: FastifyInstance; db: Database }) {
  app.put<IdParams & { Body: VoteBody }>(
    URL,
    documentedRoute({
      ...WRITE_RATINGS,
      ...REVIEW,
      operationId: 'saveReviewVote',
      summary: "Like or dislike another user's review; a second vote replaces the first",
      body: VoteBody,
      success: { 200: Envelope(Ref(ReviewVote)) },
      missing: { noReview: noReview() },
      faults: { badVote: notOneOf('vote', VOTE_VALUES) },
      conflicts: { ownReview: ownReview() },
    }),
    async (request, reply) => {
      const vote = await saveVote(db, accountOf(request), idOf(request), request.body.vote)
      if (!vote) throw noReview()
      if (vote === 'own') throw ownReview()
      return sendEnvelope(request, reply, vote)
    },
  )

  app.get<IdParams>(
    URL,
    documentedRoute({
      ...READ_RATINGS,
      ...REVIEW,
      operationId: 'getReviewVote',
      summary: 'Your vote on a review',
      success: { 200: Envelope(Ref(ReviewVote)) },
      missing: { noVote: noVote() },
    }),
    async (request, reply) => {
      const vote = await findVote(db, accountOf(request), idOf(request))
      if (!vote) throw noVote()
      return sendEnvelope(request, reply, vote)
    },
  )

  app.delete<IdParams>(
    URL,
    documentedRoute({
      ...WRITE_RATINGS,
      ...REVIEW,
      operationId: 'deleteReviewVote',
      summary: 'Delete your vote on a review. Returns 204 even if you have not voted.',
      ignoresBody: true,
      success: { 204: Type.Null() },
    }),
    async (request, reply) => {
      await deleteVote(db, accountOf(request), idOf(request))
      return sendNothing(request, reply)
    },
  )
}

const idOf = ({ params }: FastifyRequest<IdParams>) => parseId(params.id)
