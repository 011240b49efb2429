import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../../accounts/queries.ts'
import { isTrustedBrowser } from '../../../accounts/sign-in/trusted-browsers.ts'
import type { SignInMethod } from '../browser-session.ts'
import { withInteraction } from '../interaction.ts'
import type { BrowserOptions } from '../options.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { PendingSignIn } from './pending-sign-in.ts'
import { TrustCookie } from './trust-cookie.ts'

/**
 * Continues after the first factor: asks for the second factor if the account has one and the browser is not trusted,
 * and otherwise signs the user in.
 */
export async function continueSignIn(
  options: BrowserOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  signIn: { account: Account; methods: SignInMethod[]; interaction: string | undefined },
) {
  const { db, authUrl } = options
  const { account, methods, interaction } = signIn
  const pending = new PendingSignIn('second-factor', authUrl)
  const trusted = new TrustCookie(authUrl).read(request)
  if (!account.has_totp || (await isTrustedBrowser(db, account.id, trusted))) {
    pending.end(reply)
    return completeSignIn(options, request, reply, signIn)
  }
  pending.begin(reply, account, methods)
  return reply.redirect(withInteraction('/sign-in/second-factor', interaction), 303)
}
