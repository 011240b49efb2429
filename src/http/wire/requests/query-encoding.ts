import type { FastifyInstance } from 'fastify'
import type { RequestFault } from '../errors/fault.ts'
import { validationError } from '../errors/refusals.ts'

/**
 * Rejects parameters of the route that are not percent-encoded UTF-8 with 422. A decoder would replace invalid bytes
 * with U+FFFD, so that the request would mean something else. Unknown parameters are ignored, except by pages, which
 * declare none. Runs after the guard of the route, which counts the request.
 */
export function rejectMalformedQueries(app: FastifyInstance) {
  app.addHook('preValidation', ({ url, routeOptions }, _reply, done) => {
    const malformed = malformedParametersOf(url)
    if (malformed.length === 0) return done()
    // as: every schema of a query is an object's
    const schema = routeOptions.schema?.querystring as { properties: object } | undefined
    const fields = malformed.filter((name) => !schema || Object.hasOwn(schema.properties, name))
    if (fields.length === 0) return done()
    const faults = fields.map((field): RequestFault => ({ field, code: 'query.encoding' }))
    done(validationError(faults))
  })
}

const NONE: readonly string[] = []

/**
 * Returns the names of the query parameters whose name or value is not percent-encoded UTF-8, each once and as it was
 * sent.
 */
export function malformedParametersOf(url: string): readonly string[] {
  // Most URLs contain no percent sign, and paths of pages may contain one without a query.
  if (!url.includes('%')) return NONE
  const start = url.indexOf('?')
  if (start < 0) return NONE
  const query = url.slice(start + 1)
  if (isEncoded(query)) return NONE
  const malformed = query.split('&').filter((pair) => !isEncoded(pair))
  return [...new Set(malformed.map((pair) => pair.split('=', 1)[0] ?? ''))]
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
