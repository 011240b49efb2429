import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

/** One line a request, once it is answered. Queries and headers may hold secrets and are left out. */
export function logRequests(app: FastifyInstance, log: Logger) {
  app.addHook('onResponse', (request, reply, done) => {
    log.info({
      request_id: request.id,
      method: request.method,
      path: request.url.split('?', 1)[0],
      status: reply.raw.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      client_id: request.caller?.clientId,
    })
    done()
  })
}
