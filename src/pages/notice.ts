import type { FastifyReply, FastifyRequest } from 'fastify'

/** A cookie and no parameter, so that no link can make a page claim what has not happened. */
const COOKIE = 'mokuroku-notice'
const LIFETIME_SECONDS = 60

/** Redirects after a form to a page that says what was done. */
export const redirectWithNotice = (reply: FastifyReply, path: string, notice: string): FastifyReply =>
  reply.setCookie(COOKIE, notice, { maxAge: LIFETIME_SECONDS }).redirect(path, 303)

/**
 * The notice for this page, shown once.
 *
 * @param known the notices of the page: it shows no other text
 */
export function takeNotice<Notice extends string>(
  request: FastifyRequest,
  reply: FastifyReply,
  known: readonly Notice[],
): Notice | undefined {
  const notice = known.find((one) => one === request.cookies[COOKIE])
  if (notice !== undefined) void reply.clearCookie(COOKIE)
  return notice
}
