import type { FastifyReply, FastifyRequest } from 'fastify'
import { rememberDevice } from '../../accounts/sign-in/known-devices.ts'
import { originOf } from '../../audit/origin-of.ts'
import { enqueueNotice } from '../../accounts/mail/outbox.ts'
import { getPreferences } from '../../accounts/preferences/queries.ts'
import type { Account } from '../../accounts/queries.ts'
import { cookieName } from '../../pages/cookie-name.ts'
import { keepReaderLanguage } from '../../pages/page-context.ts'
import { takeWayBack } from '../../pages/way-back.ts'
import { recordEvent } from '../../audit/events.ts'
import type { Method } from './browser-session.ts'
import { afterSignIn, withInteraction } from './interaction-id.ts'
import { KeepAccount } from './keep-account.ts'
import type { BrowserOptions } from './options.ts'

/** Seconds a browser is known for. */
const DEVICE_COOKIE_AGE = 365 * 86_400

/** The cookie that recognizes a browser that was used to sign in; it opens nothing. */
export const deviceCookieName = (authUrl: string) => cookieName('device', authUrl.startsWith('https:'))

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
  { db, sessions, authUrl, wakeOutbox }: BrowserOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { account, methods, interaction, isNew = false }: CompletedSignIn,
) {
  if (account.deletion_requested_at) {
    new KeepAccount(cookieOptions(authUrl)).begin(reply, account, methods)
    return reply.redirect(withInteraction('/sign-in/keep', interaction), 303)
  }
  const { language } = await getPreferences(db, account.id)
  if (language !== null) keepReaderLanguage(reply, language)
  const cookie = deviceCookieName(authUrl)
  const device = await rememberDevice(db, account.id, request.cookies[cookie])
  void reply.setCookie(cookie, device.token, { ...cookieOptions(authUrl), maxAge: DEVICE_COOKIE_AGE })
  await sessions.signIn(request, reply, account, { methods, interaction })
  await recordEvent(db, {
    kind: 'sign_in',
    accountId: account.id,
    ...originOf(request),
    details: { methods },
  })
  if (device.isStrange) {
    await enqueueNotice(db, account.id, {
      kind: 'new_device',
      language: request.page.language,
      ...originOf(request),
    })
    wakeOutbox()
  }
  // Of an app that waits the way back is its own; else to the page that asked for the sign-in.
  if (isNew && interaction === undefined) return reply.redirect('/account/welcome', 303)
  const wayBack = takeWayBack(request, reply)
  return reply.redirect(
    interaction === undefined && wayBack !== undefined ? wayBack : afterSignIn(interaction),
    303,
  )
}
