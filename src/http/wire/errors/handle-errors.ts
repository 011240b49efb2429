import { STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { failureEnvelope } from './envelope.ts'
import { ApiError } from './errors.ts'
import {
  badEncoding,
  bodyTooLarge,
  emptyBody,
  noSuchPath,
  notJson,
  otherBadRequest,
  unavailable,
  unexpected,
  unsupportedType,
  wrongLength,
} from './refusals.ts'
import { loggedPath } from '../addresses/logged-path.ts'
import { API_HEADERS } from './headers.ts'
import { isUnavailable } from '../../../kernel/is-unavailable.ts'
import { throttleHeaders } from './rate-limit.ts'
import { validationFailed } from '../requests/validation.ts'

/** Sends the error envelope for every thrown error and every path without a route. */
export function handleErrors(
  app: FastifyInstance,
  log: Logger,
  /** Called with every refused request. */
  noteRefusal: (request: FastifyRequest, refusal: ApiError) => void = () => {},
  /**
   * May respond to a path without a route.
   *
   * @returns true if it did
   */
  respondNotFound: (request: FastifyRequest, reply: FastifyReply) => boolean = () => false,
) {
  app.setErrorHandler((error, request, reply) => {
    const refusal = toApiError(error)
    noteRefusal(request, refusal)
    if (refusal.status >= 500) logFailure(log, refusal, error, request)
    return sendError(refusal, request, reply)
  })
  // After the first chunk, the connection can only be cut, and only this hook can log the reason.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable)
      payload.once('error', (error) => {
        if (reply.raw.headersSent) logAbortedResponse(log, error, request)
      })
    done(null, payload)
  })
  const notFoundHandler = (request: FastifyRequest, reply: FastifyReply) =>
    respondNotFound(request, reply) ? reply : sendError(noSuchPath(), request, reply)
  app.setNotFoundHandler(notFoundHandler)
  // Avoids reading a body that no route would use.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) void notFoundHandler(request, reply)
    else done()
  })
}

/** Sends a refusal with all its headers. */
export function sendError(error: ApiError, request: FastifyRequest, reply: FastifyReply) {
  return reply
    .status(error.status)
    .headers({
      ...API_HEADERS,
      'cache-control': 'no-store',
      'x-request-id': request.id,
      ...(request.throttleWindow && throttleHeaders(request.throttleWindow)),
      ...error.headers,
    })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(failureEnvelope(error, request.id)))
}

/**
 * Our refusals, keyed by Fastify's error code. Fastify's messages address the developer of the service, not the caller.
 */
const FASTIFY_REFUSALS: Record<string, () => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => bodyTooLarge(),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: wrongLength,
  FST_ERR_CTP_EMPTY_JSON_BODY: emptyBody,
  FST_ERR_CTP_INVALID_JSON_BODY: notJson,
  FST_ERR_BAD_URL: badEncoding,
}

/** Returns the error itself if it is a refusal, and otherwise a refusal without internal details. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isUnavailable(error)) return unavailable(error)
  if (isFastifyError(error)) {
    if (error.validation) return validationFailed(error.validation)
    const { statusCode: status = 500, code } = error
    // The path of a static file leads outside of its folder.
    if (status === 403) return noSuchPath()
    if (status >= 400 && status < 500)
      return FASTIFY_REFUSALS[code]?.() ?? otherBadRequest(error.message, status)
    if (status === 503) return unavailable(error)
  }
  return unexpected(error)
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && 'statusCode' in error
}

function logFailure(
  log: Logger,
  { status, code }: ApiError,
  err: unknown,
  request: FastifyRequest,
) {
  log.error({ err, ...requestFacts(request), status, code }, STATUS_CODES[status])
}

function logAbortedResponse(log: Logger, err: Error, request: FastifyRequest) {
  log.error({ err, ...requestFacts(request) }, 'A response was cut off')
}

const requestFacts = ({ id, method, url }: FastifyRequest) => ({
  request_id: id,
  method,
  path: loggedPath(url),
})
