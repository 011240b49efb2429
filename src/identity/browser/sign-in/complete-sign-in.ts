import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../../accounts/queries.ts'
import { cookieName } from '../../../ui/forms/cookie-name.ts'
import { takeReturnPath } from '../../../ui/forms/return-path.ts'
import { storeAccountLanguage } from '../../../ui/page/page-context.ts'
import type { SignInMethod } from '../browser-session.ts'
import { pathAfterSignIn, withInteraction } from '../interaction.ts'
import type { BrowserOptions } from '../options.ts'
import { PendingSignIn } from './pending-sign-in.ts'

const DEVICE_COOKIE_SECONDS = 365 * 86_400

/** Name of the cookie that identifies a browser that was used to sign in. It grants no access. */
export const deviceCookieName = (authUrl: string) =>
  cookieName('device', authUrl.startsWith('https:'))

type CompletedSignIn = {
  account: Account
  methods: SignInMethod[]
  interaction: string | undefined
  /** True if the account has just been created. */
  isNew?: boolean
}

/**
 * Signs in a user who has authenticated. Redirects to the waiting app, the page the user came from, or the account. If
 * the account is scheduled for deletion, first asks whether to keep it. If it waits for approval, only says so.
 */
export async function completeSignIn(
  { sessions, authUrl, wakeOutbox }: BrowserOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { account, methods, interaction, isNew = false }: CompletedSignIn,
) {
  if (account.deletion_requested_at) {
    new PendingSignIn('keep-account', authUrl).begin(reply, account, methods)
    return reply.redirect(withInteraction('/sign-in/keep', interaction), 303)
  }
  if (account.approval_requested_at) {
    new PendingSignIn('approval', authUrl).begin(reply, account, methods)
    return reply.redirect(withInteraction('/sign-in/waiting', interaction), 303)
  }
  const cookie = deviceCookieName(authUrl)
  const device = request.cookies[cookie]
  const signedIn = await sessions.signIn(request, reply, account, { methods, interaction, device })
  // The account has been changed, banned or deleted since the user authenticated.
  if (!signedIn) return reply.redirect(withInteraction('/sign-in', interaction), 303)
  if (signedIn.language !== null) storeAccountLanguage(reply, signedIn.language)
  void reply.setCookie(cookie, signedIn.device, { maxAge: DEVICE_COOKIE_SECONDS })
  if (signedIn.isUnknownDevice) wakeOutbox()
  // The welcome page handles the stored return path itself.
  if (isNew && interaction === undefined) return reply.redirect('/account/welcome', 303)
  const returnPath = takeReturnPath(request, reply)
  const returnsToPage = interaction === undefined && returnPath !== undefined
  return reply.redirect(returnsToPage ? returnPath : pathAfterSignIn(interaction), 303)
}
