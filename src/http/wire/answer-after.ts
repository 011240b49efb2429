import type { FastifyInstance } from 'fastify'

/**
 * Has the answer to every change that a route of this scope makes wait until `isNoticed`: what the answer says is done is
 * then done for the very next request. Call it in a scope of its own, before the routes.
 */
export function answerAfter(scope: FastifyInstance, isNoticed: () => Promise<void>) {
  scope.addHook('onSend', async ({ method }, { statusCode }, payload) => {
    if (method !== 'GET' && method !== 'HEAD' && statusCode < 400) await isNoticed()
    return payload
  })
}
