import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorView, explainStatus } from './error-view.ts'
import { redirectPreferenceLink } from '../forms/preference-links.ts'
import { chooseLanguage } from '../../i18n/languages.ts'
import { findNearest } from './find-nearest.ts'
import { localPath, SECRET_PARAMETERS } from '../local-path.ts'
import { messagesIn } from '../messages.ts'
import { LANGUAGE_COOKIE } from './page-context.ts'
import { announcementFor } from '../announcement.ts'
import { PAGE_HEADERS, renderPage } from './page.ts'
import { languageLinkPath } from './send-page.ts'
import { themeFromCookies } from './theme.ts'
import { findViewer } from '../find-viewer.ts'

/** Finds the stored language in a `Cookie` header. */
const LANGUAGE_IN_COOKIES = new RegExp(`(?:^|;) *${LANGUAGE_COOKIE}=([\\w-]+)`)

export type UnscopedErrorPage = {
  /** HTTP status. */
  status: number
  headers?: Record<string, string>
}

/**
 * Sends an error page to a browser outside the scopes of `pages`, where no CSRF token exists. The page greets a
 * signed-in viewer and is never cached. Handles links to another language or theme first.
 *
 * @returns the reply, which is sent once the viewer is resolved
 */
export function sendUnscopedErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers = {} }: UnscopedErrorPage,
): FastifyReply {
  const { site } = request.server
  if (redirectPreferenceLink(request, reply, site?.secure ?? false)) return reply
  const language = chooseLanguage({
    cookie: LANGUAGE_IN_COOKIES.exec(request.headers.cookie ?? '')?.[1],
    acceptLanguage: request.headers['accept-language'],
    fallback: site?.defaultLanguage,
  })
  const messages = messagesIn(language, site?.name)
  // Only rate-limited requests can succeed if they are repeated.
  const canRetry = status === 429 && request.method === 'GET'
  const nextLink = canRetry
    ? { href: localPath(request.url, SECRET_PARAMETERS), text: messages.error.again }
    : undefined
  const retryAfterSeconds = Number(headers['retry-after'])
  const theme = themeFromCookies(request.headers.cookie)
  async function send() {
    // While the database is unavailable, the page must not wait for it again.
    const viewer = status === 503 ? undefined : await findViewer(request)
    const nearest = status === 404 ? await findNearest(request, viewer, language) : []
    const view = errorView({
      messages,
      status,
      nextLink,
      retryAfterSeconds,
      nearest,
      ...explainStatus(status, messages.error),
    })
    void reply
      .status(status)
      .headers({ ...PAGE_HEADERS, 'x-request-id': request.id, ...headers })
      .send(
        renderPage({
          language,
          messages,
          theme,
          site,
          viewer,
          path: languageLinkPath(request),
          announcement: announcementFor(site, request.headers.cookie),
          ...view,
        }),
      )
  }
  void send()
  return reply
}
