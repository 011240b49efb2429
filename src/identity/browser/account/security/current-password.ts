import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../../../accounts/queries.ts'
import { verifyCredentials } from '../../../../accounts/sign-in/sign-in.ts'
import { fieldOf } from '../../../../ui/forms/form-field.ts'
import { isRecentSignIn } from '../../../../ui/recent-sign-in.ts'
import { refuseTooManyAttempts } from '../../sign-in/retry-after.ts'
import { originOf } from '../../../../audit/origin-of.ts'
import { deviceCookieName } from '../../sign-in/complete-sign-in.ts'
import type { BrowserOptions } from '../../options.ts'

/**
 * Checks the field `current_password`. Attempts are throttled like sign-ins, so that the password cannot be guessed in
 * a signed-in browser. An account without a password needs a recent sign-in instead.
 *
 * @returns undefined if the change is allowed; otherwise the field's error and the page's status
 */
export async function checkCurrentPassword(
  { db, authUrl }: Pick<BrowserOptions, 'db' | 'authUrl'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { email, has_password }: Account,
): Promise<{ status: number; error: string } | undefined> {
  const { messages, viewer } = request.page
  if (!has_password)
    return viewer && isRecentSignIn(viewer)
      ? undefined
      : { status: 403, error: messages.account.signInAgain }
  const result = await verifyCredentials(db, {
    email,
    password: fieldOf(request, 'current_password'),
    ...originOf(request),
    device: request.cookies[deviceCookieName(authUrl)],
  })
  if (result.outcome === 'ok') return undefined
  if (result.outcome !== 'wait') return { status: 422, error: messages.account.passwordWrong }
  return refuseTooManyAttempts(reply, result.seconds, messages)
}
