import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import { documentOperation, type Operation } from '../../http/document/operation.ts'
import { ApiError, notFound } from '../../http/wire/errors.ts'
import { Envelope, errorResponse, Id, Ref } from '../../http/wire/schemas.ts'
import { sendEnvelope, sendNothing } from '../../http/wire/send-envelope.ts'
import { accountOf } from '../../http/admission/user-guard.ts'
import { parseId, validationError } from '../../http/wire/validation.ts'
import { ReviewVote, VoteBody } from './schemas.ts'
import { deleteVote, findVote, saveVote, type Vote } from './vote-queries.ts'

export type VoteRoutes = { app: FastifyInstance; db: Database; documented: boolean }
type One = { Params: { id: string } }

const URL = '/reviews/:id/vote'
const noReview = () => notFound('There is no such review.')
const noVote = () => notFound('You have not voted on this review.')
const ownReview = () =>
  new ApiError('COMMON_CONFLICT', 'This review is your own. Readers vote on those of others.')

/** A reader's votes on what others have written (decision 0013); the id is that of the rating record. */
export function voteRoutes({ app, db, documented }: VoteRoutes) {
  const read = { access: 'user', scope: 'status:read' } as const
  const write = { access: 'user', scope: 'status:write' } as const
  const describe = (operation: VoteOperation) => documentVote({ ...operation, documented })

  app.put<One & { Body: VoteBody }>(
    URL,
    {
      config: write,
      schema: {
        ...describe({
          operationId: 'saveReviewVote',
          summary: 'Like or dislike a review of somebody else; a second vote replaces the first',
          scope: write.scope,
          takesBody: true,
          success: { 200: Envelope(Ref(ReviewVote)) },
          missing: { missing: noReview() },
          faults: {
            vote: validationError([{ field: 'vote', message: 'must be one of LIKE, DISLIKE', code: 'enum' }]),
          },
          more: { 409: errorResponse('The review is your own', { own: ownReview() }) },
        }),
        body: VoteBody,
      },
    },
    async (request, reply) => {
      const vote = await saveVote(db, accountOf(request), idOf(request), request.body.vote)
      if (!vote) throw noReview()
      if (vote === 'own') throw ownReview()
      return sendEnvelope(request, reply, toVoteResponse(vote))
    },
  )

  app.get<One>(
    URL,
    {
      config: read,
      schema: describe({
        operationId: 'getReviewVote',
        summary: 'Your vote on a review',
        scope: read.scope,
        success: { 200: Envelope(Ref(ReviewVote)) },
        missing: { missing: noVote() },
      }),
    },
    async (request, reply) => {
      const vote = await findVote(db, accountOf(request), idOf(request))
      if (!vote) throw noVote()
      return sendEnvelope(request, reply, toVoteResponse(vote))
    },
  )

  app.delete<One>(
    URL,
    {
      config: write,
      schema: describe({
        operationId: 'deleteReviewVote',
        summary: 'Take your vote on a review back; 204 also when there is none',
        scope: write.scope,
        takesBody: true,
        success: { 204: Type.Null() },
        missing: { missing: notFound() },
      }),
    },
    async (request, reply) => {
      await deleteVote(db, accountOf(request), idOf(request))
      return sendNothing(request, reply)
    },
  )
}

const idOf = ({ params }: FastifyRequest<One>) => parseId(params.id)

const toVoteResponse = ({ created_at, updated_at, ...vote }: Vote) => ({
  ...vote,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
})

type VoteOperation = Omit<Operation, 'tag' | 'by'>

const documentVote = (operation: VoteOperation): FastifySchema => ({
  ...documentOperation({ tag: 'Reviews', by: 'user', ...operation }),
  params: Type.Object({ id: Id }),
})
