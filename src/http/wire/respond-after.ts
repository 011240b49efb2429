import type { FastifyInstance } from 'fastify'

/**
 * Delays the response to every successful write in this scope until `waitUntilVisible` resolves, so that the client's next
 * request sees the change. Call it in a separate scope, before registering routes.
 */
export function respondAfter(scope: FastifyInstance, waitUntilVisible: () => Promise<void>) {
  scope.addHook('onSend', async ({ method }, { statusCode }, payload) => {
    if (method !== 'GET' && method !== 'HEAD' && statusCode < 400) await waitUntilVisible()
    return payload
  })
}
