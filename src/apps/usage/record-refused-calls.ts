import type { FastifyRequest } from 'fastify'
import { refusalMessage, type ApiError } from '../../http/wire/errors/errors.ts'
import { faultMessage } from '../../http/wire/errors/fault.ts'
import {
  describeField,
  describeQuery,
  describeReason,
  describeText,
  shortenAddress,
} from './describe-refusal.ts'
import { endpointOf, type Usage } from './usage.ts'

/** Statuses that a developer would look for. 404 and 304 occur in normal use. */
const NOTED = new Set([400, 401, 403, 409, 413, 415, 422, 429])

/** Counts each rejected call of a known app, and records the reason. */
export const recordRefusedCalls =
  (usage: Usage) =>
  (request: FastifyRequest, refusal: ApiError): void => {
    const { caller } = request
    const clientId = caller?.clientId ?? refusal.about?.clientId
    if (clientId === undefined || caller?.kind === 'anonymous') return
    if (caller && refusal.status !== 429) usage.count(clientId, 'errors')
    const { config } = request.routeOptions
    // The guard has already counted the request as successful.
    if (caller) usage.countRequest(clientId, config, 2, -1)
    usage.countRequest(clientId, config, Math.floor(refusal.status / 100))
    if (NOTED.has(refusal.status))
      usage.recordRefusal(clientId, () => ({
        at: new Date(),
        request_id: request.id,
        endpoint: endpointOf(config),
        status: refusal.status,
        code: refusal.code,
        reason: describeText(reasonOf(refusal), 900),
        coded_reason: describeReason([
          refusal.about?.reason ?? refusal.reason,
          ...(refusal.faults ?? []),
        ]),
        sent: sentIn(request, refusal),
        address: shortenAddress(request.ip),
      }))
  }

function reasonOf({ about, message, faults = [] }: ApiError) {
  const fields = faults.map((fault) => `${fault.field} ${faultMessage(fault)}`)
  return [about?.reason ? refusalMessage(about.reason) : message, ...fields].join(' · ')
}

/** Returns the query, ids in the path, and the invalid fields of a body. The rest of the body belongs to the user. */
function sentIn(request: FastifyRequest, { faults = [] }: ApiError): Record<string, string> {
  // as: the type is unknown until the request is validated
  const { query, params, body } = request as { query: unknown; params: unknown; body: unknown }
  // as: the value is checked below
  const { querystring } = (request.routeOptions.schema ?? {}) as {
    querystring?: { properties?: Record<string, unknown> }
  }
  const ids = Object.entries(params ?? {}).filter(([, value]) => /^\d{1,19}$/.test(String(value)))
  // as: properties of an object are unknown
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const faulty = faults
    .map(({ field }) => field)
    .filter((field) => /^\w{1,40}$/.test(field) && Object.hasOwn(fields, field))
  return {
    ...Object.fromEntries(ids),
    ...describeQuery(query, Object.keys(querystring?.properties ?? {})),
    ...Object.fromEntries(
      faulty.slice(0, 20).map((field) => [field, describeField(fields[field])]),
    ),
  }
}
