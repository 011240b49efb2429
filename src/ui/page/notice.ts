import type { FastifyReply, FastifyRequest } from 'fastify'
import { SignedCookie } from '../forms/signed-cookie.ts'

/** A cookie instead of a parameter, so that no link can fake a notice. */
const cookie = new SignedCookie('mokuroku-notice', { lifetimeSeconds: 60 })

/** Redirects after a form submission to a page that confirms the change. */
export function redirectWithNotice(
  reply: FastifyReply,
  path: string,
  notice: string,
): FastifyReply {
  cookie.set(reply, notice)
  return reply.redirect(path, 303)
}

/**
 * Returns the pending notice and deletes it, so that it is shown once.
 *
 * @param known all notices of the page; any other is ignored
 */
export function takeNotice<Notice extends string>(
  request: FastifyRequest,
  reply: FastifyReply,
  known: readonly Notice[],
): Notice | undefined {
  const given = cookie.read(request)
  const notice = known.find((item) => item === given)
  if (notice !== undefined) cookie.clear(reply)
  return notice
}
