import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../../accounts/queries.ts'
import { verifyCredentials } from '../../../accounts/sign-in/sign-in.ts'
import { fieldOf } from '../../../pages/form-field.ts'
import { deviceCookieName, originOf } from '../complete-sign-in.ts'
import type { BrowserOptions } from '../options.ts'

/**
 * Checks the field `current_password`, counting tries as at the sign-in: who finds a browser signed in cannot guess on.
 *
 * @returns undefined when it is right; else what to say at the field, and the status of the page
 */
export async function checkCurrentPassword(
  { db, authUrl }: Pick<BrowserOptions, 'db' | 'authUrl'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { email }: Account,
): Promise<{ status: number; error: string } | undefined> {
  const { account: words } = request.page.messages
  const result = await verifyCredentials(db, {
    email,
    password: fieldOf(request, 'current_password'),
    ...originOf(request),
    device: request.cookies[deviceCookieName(authUrl)],
  })
  if (result.outcome === 'ok') return undefined
  if (result.outcome !== 'wait') return { status: 422, error: words.passwordWrong }
  void reply.header('retry-after', String(result.seconds))
  return { status: 429, error: words.wait(result.seconds) }
}
