import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../http/admission/bearer.ts'
import type { DelegatedCallers } from '../http/admission/delegated-callers.ts'
import { ToolError, type CallApi } from './tool.ts'

/** Part of the API's envelope. */
type Answer = {
  data?: unknown
  error?: { code: string; message: string; field_errors?: { field: string; message: string }[] }
}

/**
 * Returns a function that sends requests to the API in this process, so that tools share the API's validation, limits,
 * statements and caches.
 *
 * @param request request to the endpoint of the tools
 */
export function apiFor(
  app: FastifyInstance,
  callers: DelegatedCallers,
  caller: Caller,
  request: FastifyRequest,
): CallApi {
  return ({ method = 'GET', path, query = {}, body }) =>
    callers.delegate(caller, async (token) => {
      const response = await app.inject({
        method,
        url: `/api/v3/open/${path}${queryString(query)}`,
        remoteAddress: request.ip,
        headers: {
          host: request.headers.host ?? '',
          authorization: `Bearer ${token}`,
          ...(request.headers['user-agent'] && { 'user-agent': request.headers['user-agent'] }),
        },
        ...(body && { payload: body }),
      })
      if (response.statusCode === 204) return {} as never
      const answer = response.json<Answer>()
      if (answer.error) throw toToolError(answer.error)
      // as: the tool knows the response of the operation
      return answer.data as never
    })
}

function toToolError({ code, message, field_errors: fields = [] }: NonNullable<Answer['error']>) {
  const details = fields.map(({ field, message: fault }) => `${field}: ${fault}`)
  return new ToolError(code, [message, ...details].join('\n'))
}

/** Lists are sent separated by commas. */
function queryString(query: Record<string, unknown>): string {
  const sent = Object.entries(query).filter(([, value]) => value !== undefined)
  return sent.length === 0
    ? ''
    : `?${new URLSearchParams(sent.map(([name, value]) => [name, String(value)])).toString()}`
}
