import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { ApiError } from './errors.ts'

/**
 * Reads bodies as JSON in UTF-8 (RFC 8259 §8.1). Other bytes are refused, not mended: what is kept would not be what was
 * sent. A route that takes no body does not mind an empty one: many clients name a type on every request they make.
 */
export function readJsonBodies(app: FastifyInstance) {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0 && request.routeOptions.schema?.body === undefined) return done(null)
    if (isUtf8(body)) return parse(request, body.toString(), done)
    return done(new ApiError('COMMON_BAD_REQUEST', 'The body is not UTF-8.'))
  })
}
