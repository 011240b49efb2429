import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { finishReset } from '../../../accounts/mail/finish-links.ts'
import { findLink, redeemLink } from '../../../accounts/mail/link-queries.ts'
import { requestPasswordReset } from '../../../accounts/mail/mail-requests.ts'
import { hashPassword } from '../../../accounts/credentials/passwords.ts'
import { checkNewPassword, checkTypedEmail } from '../../../accounts/profile/profile-rules.ts'
import { lockAccount } from '../../../accounts/ban-queries.ts'
import { turnOffFeeds } from '../../../accounts/private-feeds.ts'
import { findAccount } from '../../../accounts/queries.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { PageError } from '../../../ui/page/errors.ts'
import { fieldOf, queryParameterOf } from '../../../ui/forms/form-field.ts'
import { redirectWithNotice } from '../../../ui/page/notice.ts'
import { sendPage } from '../../../ui/page/send-page.ts'
import { SignedCookie } from '../../../ui/forms/signed-cookie.ts'
import { INTERACTION_LIFETIME_SECONDS } from '../../lifetimes.ts'
import { withdrawConsents } from '../../provider/storage/consent-queries.ts'
import { endSessions, type EndedSession } from '../../provider/storage/session-queries.ts'
import { linkGoneView, mailSentView } from '../../views/mail-links.ts'
import {
  forgottenPasswordView,
  resetPasswordView,
  type ForgottenPasswordData,
} from '../../views/password-reset.ts'
import { refuseWithRetryAfter, wholeMinutes } from './retry-after.ts'
import { originOf } from '../../../audit/origin-of.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { faultText } from '../fault-text.ts'
import { findWaitingApp, interactionOf, withInteraction } from '../interaction.ts'
import { PUBLIC_PAGE, type BrowserOptions } from '../options.ts'

/** Stores the interaction in which this browser requested the email. */
const interactionCookie = new SignedCookie('mokuroku-reset-for', {
  lifetimeSeconds: INTERACTION_LIFETIME_SECONDS,
  path: '/reset-password',
})

/** Resets a forgotten password through a form and the link in an email. */
export async function passwordResetRoutes(app: FastifyInstance, options: BrowserOptions) {
  const { db, identity, wakeOutbox, localOutbox } = options

  app.get('/forgotten-password', PUBLIC_PAGE, (request, reply) => showForm(request, reply))

  app.post('/forgotten-password', PUBLIC_PAGE, async (request, reply) => {
    const { language, messages } = request.page
    const entered = fieldOf(request, 'email')
    const email = checkTypedEmail(entered)
    if (email.fault)
      return showForm(request, reply, {
        status: 422,
        email: entered,
        emailError: faultText(messages, email),
      })
    const interaction = interactionOf(request)
    const result = await requestPasswordReset(db, {
      email: email.value,
      language,
      interaction: interaction ?? null,
      ...originOf(request),
    })
    if (result.outcome === 'wait') {
      const error = messages.mailSent.tooMany({ minutes: wholeMinutes(result.seconds) })
      return showForm(request, reply, {
        email: entered,
        ...refuseWithRetryAfter(reply, result.seconds, error),
      })
    }
    wakeOutbox()
    if (interaction !== undefined) interactionCookie.set(reply, interaction)
    const retryHref = withInteraction('/forgotten-password', interaction)
    const sent = { purpose: 'reset', email: email.value, localOutbox, retryHref } as const
    return sendPage(request, reply, mailSentView(request.page, sent))
  })

  app.get('/reset-password', PUBLIC_PAGE, async (request, reply) => {
    const link = await findLink(db, queryParameterOf(request, 'token'), 'reset_password')
    return link ? showReset(request, reply) : showGone(request, reply)
  })

  app.post('/reset-password', PUBLIC_PAGE, async (request, reply) => {
    const token = queryParameterOf(request, 'token')
    const { language, messages } = request.page
    const found = await findLink(db, token, 'reset_password')
    if (!found) return showGone(request, reply)
    const password = checkNewPassword(fieldOf(request, 'password'), found.email)
    if (password.fault)
      return showReset(request, reply, { status: 422, error: faultText(messages, password) })
    const passwordHash = await hashPassword(password.value)
    let ended: EndedSession[] = []
    const id = await inTransaction(db, async (trx) => {
      // Locks the account first, like every other transaction, to avoid deadlocks.
      await lockAccount(trx, found.account_id ?? 0)
      const link = await redeemLink(trx, token, 'reset_password')
      if (!link || link.account_id === null) return undefined
      // Runs first, because it also ends the grants bound to the sessions. The rest only deletes the sessions.
      ended = await endSessions(trx, link.account_id, 'all')
      if (wantsDisconnect(request)) {
        await withdrawConsents(trx, link.account_id, originOf(request))
        await turnOffFeeds(trx, link.account_id, originOf(request))
      }
      return finishReset(trx, link, passwordHash, { language, ...originOf(request) })
    })
    const account = id === undefined ? undefined : await findAccount(db, id)
    if (!account) return showGone(request, reply)
    identity.notifyAppsOfSignOut(ended)
    wakeOutbox()
    const interaction = await interactionHere(request, found.interaction)
    interactionCookie.clear(reply)
    if (account.banned_at) throw new PageError(403, undefined, messages.signIn.banned)
    if (account.has_totp)
      return redirectWithNotice(reply, withInteraction('/sign-in', interaction), 'password_reset')
    return completeSignIn(options, request, reply, { account, methods: ['pwd'], interaction })
  })

  /** Returns the interaction of the link if it is still pending and this browser requested the email. */
  async function interactionHere(request: FastifyRequest, interaction: string | null) {
    if (interactionCookie.read(request) !== interaction) return undefined
    return (await findWaitingApp(identity, interaction))?.interaction
  }

  function showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      status = 200,
      ...filled
    }: Omit<ForgottenPasswordData, 'interaction'> & { status?: number } = {},
  ) {
    const interaction = interactionOf(request)
    const view = forgottenPasswordView(request.page, { interaction, ...filled })
    return sendPage(request, reply, { status, ...view })
  }

  function showReset(
    request: FastifyRequest,
    reply: FastifyReply,
    { status = 200, error }: { status?: number; error?: string | undefined } = {},
  ) {
    const token = queryParameterOf(request, 'token')
    const disconnectApps = wantsDisconnect(request)
    const view = resetPasswordView(request.page, { token, disconnectApps, error })
    return sendPage(request, reply, { status, ...view })
  }

  const showGone = (request: FastifyRequest, reply: FastifyReply) =>
    sendPage(request, reply, linkGoneView(request.page, 'reset'))
}

/** Whether the user wants to disconnect all apps and turn off feeds. */
const wantsDisconnect = (request: FastifyRequest) => fieldOf(request, 'disconnect_apps') === 'yes'
