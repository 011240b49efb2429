import type { FastifyInstance } from 'fastify'
import type { RequestFault } from '../errors/fault.ts'
import { validationError } from '../errors/refusals.ts'

/**
 * Rejects declared parameters of API operations that are not percent-encoded UTF-8 with 422. Some decoders replace
 * invalid bytes with U+FFFD, which would change the meaning of the request. Runs after the route's guard, so that the
 * request is counted.
 */
export function rejectMalformedQueries(app: FastifyInstance) {
  app.addHook('preValidation', ({ url, routeOptions }, _reply, done) => {
    const malformed = malformedParametersOf(url)
    // as: a schema may have properties
    const schema = routeOptions.schema?.querystring as { properties?: object } | undefined
    const declared = schema?.properties ?? {}
    const fields = malformed.filter((name) => Object.hasOwn(declared, name))
    if (fields.length === 0) return done()
    const faults = fields.map((field): RequestFault => ({ field, code: 'query.encoding' }))
    done(validationError(faults))
  })
}

const NONE: readonly string[] = []

/** Returns the decoded names of the query parameters whose value is not percent-encoded UTF-8, each once. */
export function malformedParametersOf(url: string): readonly string[] {
  // Most URLs contain no percent sign, and paths of pages may contain one without a query.
  if (!url.includes('%')) return NONE
  const start = url.indexOf('?')
  if (start < 0) return NONE
  const query = url.slice(start + 1)
  if (decoded(query) !== undefined) return NONE
  const names = query.split('&').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=')
    return decoded(value.join('=')) === undefined ? (decoded(name) ?? []) : []
  })
  return [...new Set(names)]
}

/** Whether all percent-encoded bytes of a text are UTF-8. */
export const isEncodedUtf8 = (text: string): boolean => decoded(text) !== undefined

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
