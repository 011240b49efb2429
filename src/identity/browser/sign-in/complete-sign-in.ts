import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../../accounts/queries.ts'
import { cookieName } from '../../../ui/forms/cookie-name.ts'
import { keepReaderLanguage } from '../../../ui/page/page-context.ts'
import { takeWayBack } from '../../../ui/forms/way-back.ts'
import type { Method } from '../browser-session.ts'
import { afterSignIn, withInteraction } from '../interaction-id.ts'
import { KeepAccount } from '../sign-up/keep-account.ts'
import type { BrowserOptions } from '../options.ts'

/** Seconds a browser is known for. */
const DEVICE_COOKIE_AGE = 365 * 86_400

/** The cookie that recognizes a browser that was used to sign in; it opens nothing. */
export const deviceCookieName = (authUrl: string) =>
  cookieName('device', authUrl.startsWith('https:'))

/** The cookies of these pages: for the whole host, for no script, and for https alone where that is spoken. */
export const cookieOptions = (authUrl: string) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: authUrl.startsWith('https:') }) as const

type CompletedSignIn = {
  account: Account
  methods: Method[]
  interaction: string | undefined
  /** Whether the account was made just now. */
  isNew?: boolean
}

/**
 * Signs somebody in who has proved who they are, and redirects: to the app that waits, to the page they came from, or to the
 * account. Whose account waits for its deletion is asked first whether to keep it.
 */
export async function completeSignIn(
  { sessions, authUrl, wakeOutbox }: BrowserOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { account, methods, interaction, isNew = false }: CompletedSignIn,
) {
  if (account.deletion_requested_at) {
    new KeepAccount(cookieOptions(authUrl)).begin(reply, account, methods)
    return reply.redirect(withInteraction('/sign-in/keep', interaction), 303)
  }
  const cookie = deviceCookieName(authUrl)
  const device = request.cookies[cookie]
  const signedIn = await sessions.signIn(request, reply, account, { methods, interaction, device })
  // Changed, banned or deleted in the moment since they proved who they are.
  if (!signedIn) return reply.redirect(withInteraction('/sign-in', interaction), 303)
  if (signedIn.language !== null) keepReaderLanguage(reply, signedIn.language)
  void reply.setCookie(cookie, signedIn.device, {
    ...cookieOptions(authUrl),
    maxAge: DEVICE_COOKIE_AGE,
  })
  if (signedIn.isStrange) wakeOutbox()
  // Of an app that waits the way back is its own; else to the page that asked for the sign-in.
  if (isNew && interaction === undefined) return reply.redirect('/account/welcome', 303)
  const wayBack = takeWayBack(request, reply)
  return reply.redirect(
    interaction === undefined && wayBack !== undefined ? wayBack : afterSignIn(interaction),
    303,
  )
}
