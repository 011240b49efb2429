import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { notUtf8 } from '../errors/refusals.ts'

/**
 * Reads bodies as JSON in UTF-8 (RFC 8259 §8.1). Rejects invalid bytes rather than replacing them, because otherwise
 * the service would store something the client did not send. Accepts an empty body on routes where a body is optional
 * or unused, because many clients send a content type with every request.
 */
export function readJsonBodies(app: FastifyInstance) {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, body, done) => {
      if (body.length === 0 && mayBeEmpty(request.routeOptions.schema?.body)) return done(null)
      if (isUtf8(body)) return parse(request, body.toString(), done)
      return done(notUtf8())
    },
  )
}

/** Whether the route has no body schema, or one that admits null. A missing body is validated as null. */
function mayBeEmpty(schema: unknown) {
  if (typeof schema !== 'object' || schema === null) return true
  return 'type' in schema && Array.isArray(schema.type) && schema.type.includes('null')
}
