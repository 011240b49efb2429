import type { FastifyReply, FastifyRequest } from 'fastify'
import { redirectWithNotice, takeNotice } from '../../../ui/page/notice.ts'
import type { Messages } from '../../../ui/messages.ts'

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

type AccountNotice = keyof typeof NOTICES

// as: the keys of that object
const NAMES = Object.keys(NOTICES) as AccountNotice[]

/** Redirects after a form to an account page that confirms the change. */
export const redirectWithAccountNotice = (
  reply: FastifyReply,
  path: string,
  notice: AccountNotice,
) => redirectWithNotice(reply, path, notice)

/** What is to be said on this page, which is then forgotten. */
export function takeAccountNotice(
  request: FastifyRequest,
  reply: FastifyReply,
): string | undefined {
  const notice = takeNotice(request, reply, NAMES)
  return notice && NOTICES[notice](request.page.messages)
}
