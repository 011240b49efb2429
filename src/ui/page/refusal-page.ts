import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorView } from './error-view.ts'
import { explainStatus } from './explain-status.ts'
import { keepChoices } from '../forms/keep-choices.ts'
import { chooseLanguage } from '../../i18n/languages.ts'
import { localAddress, SECRET_PARAMETERS } from '../local-address.ts'
import { messagesIn } from '../messages.ts'
import { LANGUAGE_COOKIE } from './page-context.ts'
import { PAGE_HEADERS, renderPage } from './page.ts'
import { ownAddress } from './send-page.ts'
import { chosenTheme } from './theme.ts'
import { whoLooks } from '../who-looks.ts'

/** In the header of cookies. */
const CHOSEN_LANGUAGE = new RegExp(`(?:^|;) *${LANGUAGE_COOKIE}=([\\w-]+)`)

export type RefusalPage = {
  /** Of HTTP. */
  status: number
  headers?: Record<string, string>
}

/**
 * Answers a browser outside of the scopes of `pages`: there no form can be made. The page greets who is signed in, and is kept
 * nowhere. A link to another language or theme is answered first.
 *
 * @returns the answer, which is sent as soon as it is known who looks
 */
export function sendRefusalPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers = {} }: RefusalPage,
): FastifyReply {
  const { site } = request.server
  if (keepChoices(request, reply, site?.secure ?? false)) return reply
  const language = chooseLanguage({
    cookie: CHOSEN_LANGUAGE.exec(request.headers.cookie ?? '')?.[1],
    acceptLanguage: request.headers['accept-language'],
  })
  const messages = messagesIn(language)
  // Only what was asked for too often is there at all.
  const canBeRepeated = status === 429 && request.method === 'GET'
  const wayOn = canBeRepeated
    ? { href: localAddress(request.url, SECRET_PARAMETERS), text: messages.error.again }
    : undefined
  const wait = Number(headers['retry-after'])
  const view = errorView({
    messages,
    status,
    wayOn,
    wait,
    ...explainStatus(status, messages.error),
  })
  const theme = chosenTheme(request.headers.cookie)
  async function send() {
    // While the database is unavailable, the page must not wait for it again.
    const reader = status === 503 ? undefined : await whoLooks(request)
    void reply
      .status(status)
      .headers({ ...PAGE_HEADERS, 'x-request-id': request.id, ...headers })
      .send(
        renderPage({ language, messages, theme, site, reader, path: ownAddress(request), ...view }),
      )
  }
  void send()
  return reply
}
