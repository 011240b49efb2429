import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { notUtf8 } from '../errors/refusals.ts'

/**
 * Reads bodies as JSON in UTF-8 (RFC 8259 §8.1). Other bytes are refused, not mended: what is stored would not be what
 * was sent. A route that takes no body, or may take none, accepts an empty one: many clients name a type on every request they make.
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

/** Whether the route takes no body, or one whose schema admits null: what validation sees of a missing one. */
function mayBeEmpty(schema: unknown) {
  if (typeof schema !== 'object' || schema === null) return true
  return 'type' in schema && Array.isArray(schema.type) && schema.type.includes('null')
}
