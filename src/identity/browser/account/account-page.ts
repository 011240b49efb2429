import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../../accounts/queries.ts'
import { originOf } from '../../../audit/origin-of.ts'
import type { Messages } from '../../../ui/messages.ts'
import { redirectWithNotice, takeNotice } from '../../../ui/page/notice.ts'
import { sendPage } from '../../../ui/page/send-page.ts'
import { accountFrame, type AccountView } from '../../views/account/frame.ts'
import type { BrowserSession } from '../browser-session.ts'
import { PUBLIC_PAGE, type BrowserOptions } from '../options.ts'

/** The account that a page is about: always the signed-in one, whatever the request says. */
export type Owner = { account: Account; session: BrowserSession }

export type AccountOptions = BrowserOptions & { ownerOf: (request: FastifyRequest) => Owner }

/** Route options of account pages. Public to the API's guard, because a hook of `accountRoutes` requires a session. */
export const ACCOUNT_PAGE = PUBLIC_PAGE

/** Route options of account pages whose form holds long text. */
export const DRAFT_ACCOUNT_PAGE = {
  ...ACCOUNT_PAGE,
  config: { ...ACCOUNT_PAGE.config, keepsDraft: true },
} as const

/** Context of a change about which the owner is notified by email. */
export const changeContext = (request: FastifyRequest) => ({
  ...originOf(request),
  language: request.page.language,
})

/** Confirmations that the page shown after a form displays once. */
const NOTICES = {
  preferences_saved: ({ account }: Messages) => account.saved,
  profile_saved: ({ account }: Messages) => account.saved,
  email_sent: ({ accountEmail }: Messages) => accountEmail.sent,
  email_changed: ({ accountEmail }: Messages) => accountEmail.changed,
  password_changed: ({ accountPassword }: Messages) => accountPassword.changed,
  session_ended: ({ accountSessions }: Messages) => accountSessions.ended,
  trust_withdrawn: ({ accountSessions }: Messages) => accountSessions.distrusted,
  others_ended: ({ accountSessions }: Messages) => accountSessions.othersEnded,
  token_revoked: ({ accountTokens }: Messages) => accountTokens.revoked,
  tokens_revoked: ({ accountTokens }: Messages) => accountTokens.allRevoked,
  feeds_off: ({ accountFeeds }: Messages) => accountFeeds.turnedOff,
  consent_withdrawn: ({ accountApps }: Messages) => accountApps.withdrawn,
  authenticator_off: ({ accountSecurity }: Messages) => accountSecurity.turnedOff,
  passkey_added: ({ accountPasskeys }: Messages) => accountPasskeys.addDone,
  passkey_renamed: ({ accountPasskeys }: Messages) => accountPasskeys.renamed,
  passkey_removed: ({ accountPasskeys }: Messages) => accountPasskeys.removed,
  provider_connected: ({ accountProviders }: Messages) => accountProviders.connectedDone,
  provider_disconnected: ({ accountProviders }: Messages) => accountProviders.disconnectedDone,
}

type AccountNotice = keyof typeof NOTICES

// as: these are the keys of that object
const NOTICE_NAMES = Object.keys(NOTICES) as AccountNotice[]

/** Redirects after a form submission to an account page that confirms the change once. */
export const redirectWithAccountNotice = (
  reply: FastifyReply,
  path: string,
  notice: AccountNotice,
) => redirectWithNotice(reply, path, notice)

/** Sends an account page with its pending confirmation, if any. */
export function sendAccountPage(
  request: FastifyRequest,
  reply: FastifyReply,
  view: AccountView,
  status = 200,
) {
  const { messages } = request.page
  const name = takeNotice(request, reply, NOTICE_NAMES)
  const notice = name && NOTICES[name](messages)
  const path = request.url.split('?', 1)[0] ?? ''
  return sendPage(request, reply, { status, ...accountFrame(messages, { notice, ...view }, path) })
}
