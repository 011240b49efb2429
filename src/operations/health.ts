import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Database } from '../db/database.ts'
import { unavailable } from '../http/errors.ts'
import { Envelope, errorResponse } from '../http/schemas.ts'
import { ENVELOPE_START, envelopeEnd } from '../http/envelope.ts'

const Health = Type.Object({ status: Type.Literal('ok') }, { additionalProperties: false })

/** `/health/live`: the process answers. `/health/ready`: it can do its work, the database included. */
export async function health(app: FastifyInstance, { db }: { db: Database }) {
  const ok = (id: string) => `${ENVELOPE_START}{"status":"ok"}${envelopeEnd(id)}`
  const response = { description: 'It is', content: { 'application/json': { schema: Envelope(Health) } } }
  const common = { tags: ['Operations'], security: [] }
  const config = { access: 'public' } as const

  app.get(
    '/health/live',
    {
      config,
      schema: {
        ...common,
        operationId: 'getLiveness',
        summary: 'Whether the process answers',
        response: { 200: response },
      },
    },
    (request, reply) =>
      reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(ok(request.id)),
  )

  const notReady = errorResponse('It is not: the database is away', { unavailable: unavailable() })
  app.get(
    '/health/ready',
    {
      config,
      schema: {
        ...common,
        operationId: 'getReadiness',
        summary: 'Whether requests can be served',
        response: { 200: response, 503: notReady },
      },
    },
    async (request, reply) => {
      await sql`select 1`.execute(db).catch((cause: unknown) => {
        throw unavailable(cause)
      })
      return reply
        .header('cache-control', 'no-store')
        .type('application/json; charset=utf-8')
        .send(ok(request.id))
    },
  )
}
