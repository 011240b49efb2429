import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../../../accounts/queries.ts'
import { verifyCredentials } from '../../../../accounts/sign-in/sign-in.ts'
import { fieldOf } from '../../../../ui/forms/form-field.ts'
import { refuseTooManyAttempts } from '../../sign-in/retry-after.ts'
import { originOf } from '../../../../audit/origin-of.ts'
import { deviceCookieName } from '../../sign-in/complete-sign-in.ts'
import type { BrowserOptions } from '../../options.ts'

/**
 * Checks the field `current_password`. Attempts are throttled like sign-ins, so that the password cannot be guessed in
 * a signed-in browser.
 *
 * @returns undefined if it is right; otherwise the field's error and the page's status
 */
export async function checkCurrentPassword(
  { db, authUrl }: Pick<BrowserOptions, 'db' | 'authUrl'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { email }: Account,
): Promise<{ status: number; error: string } | undefined> {
  const result = await verifyCredentials(db, {
    email,
    password: fieldOf(request, 'current_password'),
    ...originOf(request),
    device: request.cookies[deviceCookieName(authUrl)],
  })
  if (result.outcome === 'ok') return undefined
  if (result.outcome !== 'wait')
    return { status: 422, error: request.page.messages.account.passwordWrong }
  return refuseTooManyAttempts(reply, result.seconds, request.page.messages)
}
