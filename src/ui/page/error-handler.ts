import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { loggedPath } from '../../http/wire/addresses/logged-path.ts'
import { toApiError } from '../../http/wire/errors/handle-errors.ts'
import { errorView, explainStatus } from './error-view.ts'
import { PageError } from './errors.ts'
import { namedFaultText } from '../value-fault-text.ts'
import { findNearest } from './find-nearest.ts'
import type { PageContext } from './page-context.ts'
import { sendPage } from './send-page.ts'
import type { NearEntry } from './site.ts'

/** Maximum number of invalid fields on a page. */
const MAX_FAULTS = 5

type ErrorPage = {
  status: number
  title?: string | undefined
  text: string
  /** Invalid fields, each with the reason. */
  faults?: string[]
  nextLink?: PageError['nextLink']
  headers?: Record<string, string>
}

/**
 * Returns the error handler of pages. It renders every error as a page in the viewer's language.
 *
 * @param origin origin of the pages
 */
export function pageErrorHandler(log: Logger, origin: string) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { messages } = request.page
    const {
      status,
      title,
      text,
      faults,
      nextLink: ownLink,
      headers = {},
    } = describeError(error, request.page, origin)
    const isFailure = status >= 500
    if (isFailure) {
      const { id, method, url } = request
      log.error(
        { err: error, request_id: id, method, path: loggedPath(url), status },
        'A page failed',
      )
    }
    const requestId = isFailure ? request.id : undefined
    void reply.headers(headers)
    const retryAfterSeconds = Number(headers['retry-after'])
    // Only these two statuses can succeed if the same request is repeated.
    const canRetry = (status === 429 || status === 503) && request.method === 'GET'
    const nextLink = canRetry ? { href: request.url, text: messages.error.again } : ownLink
    const view = { messages, status, title, text, faults, nextLink, retryAfterSeconds, requestId }
    const send = (nearest: readonly NearEntry[]) =>
      sendPage(request, reply, { status, ...errorView({ ...view, nearest }) })
    if (status !== 404) return send([])
    return findNearest(request, request.page.viewer, request.page.language).then(send)
  }
}

/**
 * Describes an error for users. Only a `PageError` and the faults of fields have messages meant for them; other messages
 * are for developers.
 */
function describeError(
  error: unknown,
  { messages: { error: texts }, language }: PageContext,
  origin: string,
): ErrorPage {
  if (error instanceof PageError)
    return {
      status: error.status,
      title: error.title,
      text: error.message,
      nextLink: error.nextLink,
    }
  if (isCsrfError(error)) return { status: 403, text: texts.forgedForm({ address: origin }) }
  const { status, headers, faults = [] } = toApiError(error)
  return {
    status,
    headers,
    ...explainStatus(status, texts),
    faults: faults.slice(0, MAX_FAULTS).map((fault) => namedFaultText(language, fault)),
  }
}

/** Whether @fastify/csrf-protection rejected a form because its token is missing or invalid. */
const isCsrfError = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'FST_CSRF_MISSING_SECRET' || error.code === 'FST_CSRF_INVALID_TOKEN')
