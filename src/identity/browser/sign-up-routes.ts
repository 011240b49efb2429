import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { consumeAttempt } from '../../accounts/sign-in/login-throttle.ts'
import { finishSignUp } from '../../accounts/mail/finish-links.ts'
import { findLink, type MailLink } from '../../accounts/mail/link-queries.ts'
import { requestSignUp } from '../../accounts/mail/mail-requests.ts'
import { passwordMatches } from '../../accounts/credentials/passwords.ts'
import {
  checkChosenEmail,
  checkName,
  checkNewPassword,
  PASSWORD_LENGTH,
} from '../../accounts/profile/profile-rules.ts'
import { findAccount } from '../../accounts/queries.ts'
import { isAcceptedDomain } from '../../config/mail-domain.ts'
import { PageError } from '../../ui/page/errors.ts'
import { checkInvitation } from '../../accounts/sign-up/admit-account.ts'
import { fieldOf, queryParameterOf } from '../../ui/forms/form-field.ts'
import { sendPage } from '../../ui/page/send-page.ts'
import { linkGoneView, mailSentView } from '../views/mail-links.ts'
import {
  accountExistsView,
  otherBrowserView,
  signUpConfirmView,
} from '../views/sign-up/sign-up-confirm.ts'
import {
  notInvitedView,
  signUpClosedView,
  signUpView,
  type SignUpData,
} from '../views/sign-up/sign-up.ts'
import { refuseTooManyAttempts, refuseWithRetryAfter, wholeMinutes } from './sign-in/retry-after.ts'
import { RequestingBrowser } from './requesting-browser.ts'
import { originOf } from '../../audit/origin-of.ts'
import { completeSignIn } from './sign-in/complete-sign-in.ts'
import { faultText } from './fault-text.ts'
import { invitationIn } from './invitation-in.ts'
import { findWaitingApp, interactionOf, withInteraction } from './interaction.ts'
import { PUBLIC_PAGE, type BrowserOptions } from './options.ts'

/** Signs up through a form and the link in an email, which creates the account. */
export async function signUpRoutes(app: FastifyInstance, options: BrowserOptions) {
  const { db, identity, authUrl, wakeOutbox, localOutbox, upstream } = options
  const { signUp, signUpMailDomains: mailDomains, contact } = options
  const browser = new RequestingBrowser(authUrl)

  if (signUp === 'closed') {
    for (const url of ['/sign-up', '/sign-up/confirm'])
      app.route({
        ...PUBLIC_PAGE,
        method: ['GET', 'POST'],
        url,
        handler: (request, reply) => {
          const view = signUpClosedView(request.page, {
            interaction: interactionOf(request),
            contact,
          })
          return sendPage(request, reply, view)
        },
      })
    return
  }
  const mode = signUp

  app.get('/sign-up', PUBLIC_PAGE, async (request, reply) => {
    const invitation = invitationIn(queryParameterOf(request, 'invitation'))
    if (invitation === '') return showForm(request, reply)
    const entered = { email: '', name: '', invitation }
    const { isRefused } = await checkInvitation(db, mode, invitation)
    if (!isRefused) return showForm(request, reply, { entered })
    const errors = { invitation: request.page.messages.signUpFaults.invitation_invalid }
    return showForm(request, reply, { entered, errors, status: 422 })
  })

  app.post('/sign-up', PUBLIC_PAGE, async (request, reply) => {
    const { language, messages } = request.page
    const entered = {
      email: fieldOf(request, 'email'),
      name: fieldOf(request, 'name'),
      invitation: invitationIn(fieldOf(request, 'invitation')),
    }
    const { invitation, isRefused } = await checkInvitation(db, mode, entered.invitation)
    const email = checkChosenEmail(entered.email, mailDomains)
    const name = checkName(entered.name)
    const password = checkNewPassword(fieldOf(request, 'password'), entered.email)
    if (email.fault || name.fault || password.fault || isRefused) {
      const errors = {
        email: faultText(messages, email),
        name: faultText(messages, name),
        password: faultText(messages, password),
        ...(isRefused && { invitation: messages.signUpFaults.invitation_invalid }),
      }
      return showForm(request, reply, { status: 422, entered, errors })
    }
    const interaction = interactionOf(request)
    const result = await requestSignUp(db, {
      email: email.value,
      name: name.value,
      password: password.value,
      language,
      browserHash: browser.remember(request, reply),
      interaction: interaction ?? null,
      invitation,
      ...originOf(request),
    })
    if (result.outcome === 'wait') {
      const error = messages.mailSent.tooMany({ minutes: wholeMinutes(result.seconds) })
      return showForm(request, reply, {
        entered,
        ...refuseWithRetryAfter(reply, result.seconds, error),
      })
    }
    wakeOutbox()
    const retryHref = withInteraction('/sign-up', interaction)
    const sent = { purpose: 'signUp', email: email.value, localOutbox, retryHref } as const
    return sendPage(request, reply, mailSentView(request.page, sent))
  })

  // A GET changes nothing, because email scanners follow links.
  app.get('/sign-up/confirm', PUBLIC_PAGE, async (request, reply) => {
    const link = await findLink(db, queryParameterOf(request, 'token'), 'sign_up')
    if (!link) return sendPage(request, reply, linkGoneView(request.page, 'signUp'))
    return showConfirm(request, reply, link)
  })

  app.post('/sign-up/confirm', PUBLIC_PAGE, async (request, reply) => {
    const token = queryParameterOf(request, 'token')
    const { messages } = request.page
    const found = await findLink(db, token, 'sign_up')
    if (!found) return sendPage(request, reply, linkGoneView(request.page, 'signUp'))
    // The setting may have changed since the form was sent.
    if (!isAcceptedDomain(found.email, mailDomains))
      throw new PageError(422, undefined, messages.signUpFaults.email_domain)
    const isSameBrowser = browser.matches(request, found.browser_hash)
    if (!isSameBrowser && found.identity !== null) return showOtherBrowser(request, reply)
    if (!isSameBrowser) {
      const seconds = await consumeAttempt(db, `link:${found.token_hash}`)
      if (seconds !== undefined) {
        const refused = refuseTooManyAttempts(reply, seconds, messages)
        return showConfirm(request, reply, found, refused)
      }
      if (!(await isPasswordOf(found, fieldOf(request, 'password'))))
        return showConfirm(request, reply, found, {
          status: 422,
          error: messages.signUpConfirm.wrong,
        })
    }
    const finished = await finishSignUp(db, found, mode, {
      language: request.page.language,
      ...originOf(request),
    })
    // Administrators may have been notified.
    wakeOutbox()
    if (!finished) return sendPage(request, reply, linkGoneView(request.page, 'signUp'))
    if (finished.outcome === 'not_invited')
      return sendPage(request, reply, notInvitedView(request.page))
    // An app's request continues only in the browser that began it.
    const waiting = isSameBrowser ? await findWaitingApp(identity, found.interaction) : undefined
    const account = finished.outcome === 'created' ? await findAccount(db, finished.id) : undefined
    if (!account) {
      const signInHref = withInteraction('/sign-in', waiting?.interaction)
      const view = accountExistsView(request.page, signInHref)
      return sendPage(request, reply, { status: 409, ...view })
    }
    return completeSignIn(options, request, reply, {
      account,
      methods: [found.identity === null ? 'pwd' : 'fed'],
      interaction: waiting?.interaction,
      isNew: true,
    })
  })

  async function showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      status = 200,
      ...filled
    }: Omit<SignUpData, 'interaction' | 'mailDomains' | 'mode'> & { status?: number } = {},
  ) {
    const interaction = interactionOf(request)
    const appName = (await findWaitingApp(identity, interaction))?.appName
    const view = signUpView(request.page, {
      interaction,
      appName,
      mailDomains,
      mode,
      providers: upstream.map(({ provider }) => provider),
      ...filled,
    })
    return sendPage(request, reply, { status, ...view })
  }

  function showConfirm(
    request: FastifyRequest,
    reply: FastifyReply,
    { email, browser_hash, identity }: MailLink,
    { status = 200, error }: { status?: number; error?: string } = {},
  ) {
    // The token was found in the database, so it contains no characters that need encoding.
    const token = queryParameterOf(request, 'token')
    const isSameBrowser = browser.matches(request, browser_hash)
    if (!isSameBrowser && identity !== null) return showOtherBrowser(request, reply)
    const view = signUpConfirmView(request.page, {
      token,
      email,
      needsPassword: !isSameBrowser,
      error,
    })
    return sendPage(request, reply, { status, ...view })
  }
}

/** A sign-up with an identity has no password that could prove who opened the link. */
function showOtherBrowser(request: FastifyRequest, reply: FastifyReply) {
  return sendPage(request, reply, { status: 403, ...otherBrowserView(request.page) })
}

/** Whether this is the password chosen when the link was requested. */
async function isPasswordOf({ password_hash }: MailLink, password: string) {
  if (password_hash === null || password.length > 2 * PASSWORD_LENGTH.max) return false
  return passwordMatches(password, password_hash)
}
