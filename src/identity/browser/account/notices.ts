import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Messages } from '../../../pages/messages/en.ts'
import { SignedCookie } from '../../../pages/signed-cookie.ts'

/** What the next page says was done. */
const NOTICES = {
  preferences_saved: ({ account }: Messages) => account.saved,
  profile_saved: ({ account }: Messages) => account.saved,
  email_sent: ({ accountEmail }: Messages) => accountEmail.sent,
  email_changed: ({ accountEmail }: Messages) => accountEmail.changed,
  password_changed: ({ accountPassword }: Messages) => accountPassword.changed,
  session_ended: ({ accountSessions }: Messages) => accountSessions.ended,
  trust_withdrawn: ({ accountSessions }: Messages) => accountSessions.distrusted,
  others_ended: ({ accountSessions }: Messages) => accountSessions.othersEnded,
  consent_withdrawn: ({ accountApps }: Messages) => accountApps.withdrawn,
  authenticator_off: ({ accountSecurity }: Messages) => accountSecurity.turnedOff,
  passkey_added: ({ accountPasskeys }: Messages) => accountPasskeys.addDone,
  passkey_renamed: ({ accountPasskeys }: Messages) => accountPasskeys.renamed,
  passkey_removed: ({ accountPasskeys }: Messages) => accountPasskeys.removed,
}

/** A cookie, so that no link can make a page say what has not happened. */
const cookie = new SignedCookie('mokuroku-notice', { lifetimeSeconds: 60, path: '/account' })

/** Sends the browser on after a form, to a page that says what was done. */
export function redirectWithNotice(reply: FastifyReply, path: string, notice: keyof typeof NOTICES) {
  cookie.set(reply, notice)
  return reply.redirect(path, 303)
}

/** What is to be said on this page, which is then forgotten. */
export function takeNotice(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const name = cookie.take(request, reply)
  return name === undefined ? undefined : new Map(Object.entries(NOTICES)).get(name)?.(request.page.messages)
}
