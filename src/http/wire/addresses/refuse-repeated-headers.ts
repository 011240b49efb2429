import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../errors/errors.ts'
import { ambiguousHeader, missingHost } from '../errors/refusals.ts'

/**
 * Refuses a request that repeats its `Host` or `Authorization` header, because a proxy in front may have read a
 * different one (RFC 9112 §3.2).
 *
 * @returns the refusal, or `undefined` if the headers are acceptable
 */
export function refusalOfHeaders({
  raw: { rawHeaders, httpVersionMinor },
}: FastifyRequest): ApiError | undefined {
  let hosts = 0
  let authorizations = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    // Compares the length first, because this runs for every header of every request.
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations += 1
  }
  if (hosts > 1) return ambiguousHeader('Host')
  if (authorizations > 1) return ambiguousHeader('Authorization')
  return hosts === 0 && httpVersionMinor > 0 ? missingHost() : undefined
}
