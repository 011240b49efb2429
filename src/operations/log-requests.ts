import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'

/**
 * One line a request, once it is answered; `bytes` are those of the answer with its headers. Queries and other headers may
 * hold secrets and are left out.
 */
export function logRequests(app: FastifyInstance, log: Logger) {
  /** Bytes a connection had sent before the answer of now. */
  const sentBefore = new WeakMap<FastifyRequest, number>()
  app.addHook('onRequest', (request, _reply, done) => {
    sentBefore.set(request, request.socket.bytesWritten)
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
      bytes: request.socket.bytesWritten - (sentBefore.get(request) ?? 0),
      ms: Math.round(reply.elapsedTime * 10) / 10,
      client_id: request.caller?.clientId,
    })
    done()
  })
}
