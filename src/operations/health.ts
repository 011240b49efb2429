import type { FastifyInstance } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Database } from '../db/database.ts'
import { withDeadline } from '../db/deadlines.ts'
import { headersTooLarge, unavailable } from '../http/wire/refusals.ts'
import { Envelope } from '../http/wire/schemas.ts'
import { errorResponse, RETRY_AFTER } from '../http/document/responses.ts'
import { sendEnvelope } from '../http/wire/send-envelope.ts'

const Health = Type.Object({ status: Type.Literal('ok') }, { additionalProperties: false })
const Readiness = Type.Object(
  {
    status: Type.Literal('ok'),
    imported_at: Type.Record(Type.String(), Type.String({ format: 'date-time' }), {
      description: 'When the last import of each source that succeeded ended, by source.',
    }),
  },
  { additionalProperties: false },
)
const OK = { status: 'ok' }

/** An orchestrator must learn that it is not ready, not wait for it. In milliseconds. */
const READINESS_DEADLINE_MS = 1_900

/** `/health/live`: the process answers. `/health/ready`: it can do its work, the database included. */
export async function health(app: FastifyInstance, { db }: { db: Database }) {
  const config = { access: 'public' } as const
  const common = { tags: ['Operations'], security: [] }
  const healthy = {
    description: 'The service is up',
    content: { 'application/json': { schema: Envelope(Health) } },
  }
  const ready = {
    description: 'The service is up, and can do its work',
    content: { 'application/json': { schema: Envelope(Readiness) } },
  }
  const away = errorResponse('Briefly unavailable', { unavailable: unavailable() }, RETRY_AFTER)
  const tooLong = errorResponse('More headers than a request may have', {
    headersTooLarge: headersTooLarge(),
  })

  app.get(
    '/health/live',
    {
      config,
      schema: {
        ...common,
        operationId: 'getLiveness',
        summary: 'Whether the process answers',
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
        summary: 'Whether requests can be served',
        response: { 200: ready, 431: tooLong, 503: away },
      },
    },
    async (request, reply) => {
      const imported_at = await readImportTimes(db).catch((cause: unknown) => {
        throw unavailable(cause)
      })
      return sendEnvelope(request, reply, { ...OK, imported_at })
    },
  )
}

/** @throws {Error} also when there is no free connection in time, for which a statement would wait longer */
async function readImportTimes(db: Database): Promise<Record<string, string>> {
  const answered = new AbortController()
  const tooLate = sleep(READINESS_DEADLINE_MS, undefined, { signal: answered.signal, ref: false }).then(
    () => {
      throw new Error('The database did not answer in time')
    },
  )
  // Aborted, or lost the race: nobody waits for it any more.
  tooLate.catch(() => {})
  const asked = withDeadline(READINESS_DEADLINE_MS, () =>
    sql<{ source: string; ended_at: Date }>`
      select source, max(ended_at) as ended_at from import_runs where outcome = 'done' group by source order by source`.execute(
      db,
    ),
  )
  try {
    const { rows } = await Promise.race([asked, tooLate])
    return Object.fromEntries(rows.map(({ source, ended_at }) => [source, ended_at.toISOString()]))
  } finally {
    answered.abort()
    asked.catch(() => {})
  }
}
