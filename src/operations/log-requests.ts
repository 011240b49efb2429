import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

const SENT_BEFORE = Symbol('bytes sent before')

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes that the connection had sent before the current response. */
    [SENT_BEFORE]: number
  }
}

/**
 * Logs one line per request after the response. `bytes` includes the response headers. Queries and other headers may
 * hold secrets and are omitted.
 */
export function logRequests(app: FastifyInstance, log: Logger) {
  app.decorateRequest(SENT_BEFORE, 0)
  app.addHook('onRequest', (request, _reply, done) => {
    request[SENT_BEFORE] = request.socket.bytesWritten
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    log.info({
      request_id: request.id,
      address: request.ip,
      user_agent: request.headers['user-agent'],
      method: request.method,
      path: request.url.split('?', 1)[0],
      route: request.routeOptions.url,
      status: reply.raw.statusCode,
      bytes: request.socket.bytesWritten - request[SENT_BEFORE],
      ms: Math.round(reply.elapsedTime * 10) / 10,
      client_id: request.caller?.clientId,
    })
    done()
  })
}
