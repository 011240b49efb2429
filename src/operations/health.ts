import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../db/database.ts'
import { withinOneDeadline } from '../db/server/deadlines.ts'
import { requireWritable } from '../db/server/require-writable.ts'
import { findImportTimes } from './database-health-queries.ts'
import { headersTooLarge, unavailable } from '../http/wire/errors/refusals.ts'
import { Closed, Envelope } from '../http/wire/schemas.ts'
import { errorResponse, RETRY_AFTER } from '../http/document/responses.ts'
import { sendEnvelope } from '../http/wire/errors/send-envelope.ts'

const Health = Closed({ status: Type.Literal('ok') })
const Readiness = Closed({
  status: Type.Literal('ok'),
  imported_at: Type.Record(Type.String(), Type.String({ format: 'date-time' }), {
    description: 'End of the last successful import of each source.',
  }),
})
const OK = { status: 'ok' }

/**
 * Deadline, in milliseconds, of the readiness check. It makes sure that an orchestrator gets a response rather than a
 * timeout.
 */
const READINESS_DEADLINE_MS = 1_900

/**
 * Registers `/health/live` (the process responds) and `/health/ready` (it can serve requests, is not stopping, and the
 * database accepts writes).
 */
export async function health(
  app: FastifyInstance,
  { db, isDraining }: { db: Database; isDraining: () => boolean },
) {
  const config = { access: 'public' } as const
  const common = { tags: ['Operations'], security: [] }
  const healthy = {
    description: 'The service is up',
    content: { 'application/json': { schema: Envelope(Health) } },
  }
  const ready = {
    description: 'The service can serve requests',
    content: { 'application/json': { schema: Envelope(Readiness) } },
  }
  const notReady = errorResponse(
    'Temporarily unavailable',
    { unavailable: unavailable() },
    RETRY_AFTER,
  )
  const tooLong = errorResponse('Request headers too large', { headersTooLarge: headersTooLarge() })

  app.get(
    '/health/live',
    {
      config,
      schema: {
        ...common,
        operationId: 'getLiveness',
        summary: 'Check whether the process responds',
        response: { 200: healthy, 431: tooLong },
      },
    },
    (request, reply) => sendEnvelope(request, reply, OK),
  )

  app.get(
    '/health/ready',
    {
      config,
      schema: {
        ...common,
        operationId: 'getReadiness',
        summary: 'Check whether requests can be served',
        response: { 200: ready, 431: tooLong, 503: notReady },
      },
    },
    async (request, reply) => {
      if (isDraining()) throw unavailable()
      const imported_at = await withinOneDeadline(async () => {
        await requireWritable(db)
        return findImportTimes(db)
      }, READINESS_DEADLINE_MS).catch((cause: unknown) => {
        throw unavailable(cause)
      })
      return sendEnvelope(request, reply, { ...OK, imported_at })
    },
  )
}
