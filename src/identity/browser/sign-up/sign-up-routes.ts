import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { consumeTry } from '../../../accounts/sign-in/login-throttle.ts'
import { finishSignUp } from '../../../accounts/mail/followed-links.ts'
import { peekLink, takeLink, type MailLink } from '../../../accounts/mail/link-queries.ts'
import { requestSignUp } from '../../../accounts/mail/mail-requests.ts'
import { passwordMatches } from '../../../accounts/credentials/passwords.ts'
import {
  checkEmail,
  checkName,
  checkNewPassword,
  PASSWORD_LENGTH,
} from '../../../accounts/profile/profile-rules.ts'
import { findAccount } from '../../../accounts/queries.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { fieldOf, parameterOf } from '../../../ui/forms/form-field.ts'
import { sendPage } from '../../../ui/page/send-page.ts'
import { linkGoneView } from '../../views/sign-up/link-gone.ts'
import { mailSentView } from '../../views/sign-up/mail-sent.ts'
import { accountExistsView, signUpConfirmView } from '../../views/sign-up/sign-up-confirm.ts'
import { signUpView, type SignUpErrors } from '../../views/sign-up/sign-up.ts'
import { answerTooManyAttempts, answerWait, minutesOf } from '../sign-in/answer-wait.ts'
import { AskingBrowser } from '../asking-browser.ts'
import { originOf } from '../../../audit/origin-of.ts'
import { completeSignIn } from '../sign-in/complete-sign-in.ts'
import { faultText } from '../fault-text.ts'
import { interactionOf, withInteraction } from '../interaction-id.ts'
import type { BrowserOptions } from '../options.ts'
import { findWaitingApp } from '../waiting-app.ts'

/** Signing up: a form, a mail, and the link in it, which makes the account. */
export async function signUpRoutes(app: FastifyInstance, options: BrowserOptions) {
  const { db, identity, authUrl, wakeOutbox, localOutbox } = options
  const common = { config: { access: 'public' }, schema: { hide: true } } as const
  const browser = new AskingBrowser(authUrl)

  app.get('/sign-up', common, (request, reply) => showForm(request, reply))

  app.post('/sign-up', common, async (request, reply) => {
    const { language, messages } = request.page
    const typed = { email: fieldOf(request, 'email'), name: fieldOf(request, 'name') }
    const email = checkEmail(typed.email)
    const name = checkName(typed.name)
    const password = checkNewPassword(fieldOf(request, 'password'), typed.email)
    if (email.fault || name.fault || password.fault) {
      const errors = {
        email: faultText(messages, email),
        name: faultText(messages, name),
        password: faultText(messages, password),
      }
      return showForm(request, reply, { status: 422, typed, errors })
    }
    const interaction = interactionOf(request)
    const result = await requestSignUp(db, {
      email: email.value,
      name: name.value,
      password: password.value,
      language,
      browserHash: browser.remember(request, reply),
      interaction: interaction ?? null,
      ...originOf(request),
    })
    if (result.outcome === 'wait') {
      const error = messages.mailSent.tooMany({ minutes: minutesOf(result.seconds) })
      return showForm(request, reply, { typed, ...answerWait(reply, result.seconds, error) })
    }
    wakeOutbox()
    const againHref = withInteraction('/sign-up', interaction)
    return sendPage(
      request,
      reply,
      mailSentView({ messages, purpose: 'signUp', email: email.value, localOutbox, againHref }),
    )
  })

  // Asking for it changes nothing: programs that look through mails follow links.
  app.get('/sign-up/confirm', common, async (request, reply) => {
    const link = await peekLink(db, parameterOf(request, 'token'), 'sign_up')
    return link ? showConfirm(request, reply, link) : showGone(request, reply)
  })

  app.post('/sign-up/confirm', common, async (request, reply) => {
    const token = parameterOf(request, 'token')
    const { signUpConfirm: words } = request.page.messages
    const found = await peekLink(db, token, 'sign_up')
    if (!found) return showGone(request, reply)
    const isSameBrowser = browser.is(request, found.browser_hash)
    if (!isSameBrowser) {
      const seconds = await consumeTry(db, `link:${found.token_hash}`)
      if (seconds !== undefined)
        return showConfirm(
          request,
          reply,
          found,
          answerTooManyAttempts(reply, seconds, request.page.messages),
        )
      if (!(await isPasswordOf(found, fieldOf(request, 'password'))))
        return showConfirm(request, reply, found, { status: 422, error: words.wrong })
    }
    const followed = await inTransaction(db, async (trx) => {
      const link = await takeLink(trx, token, 'sign_up')
      return link && { link, id: await finishSignUp(trx, link, originOf(request)) }
    })
    if (!followed) return showGone(request, reply)
    // What an app waits for in one browser goes on in no other.
    const waiting = isSameBrowser
      ? await findWaitingApp(identity, followed.link.interaction)
      : undefined
    const account = followed.id === undefined ? undefined : await findAccount(db, followed.id)
    if (!account) return showExists(request, reply, waiting?.interaction)
    return completeSignIn(options, request, reply, {
      account,
      methods: ['pwd'],
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
    }: {
      status?: number
      typed?: { email: string; name: string }
      errors?: SignUpErrors
      error?: string
    } = {},
  ) {
    const interaction = interactionOf(request)
    const { messages, csrfField } = request.page
    const view = signUpView({
      messages,
      csrf: csrfField(),
      action: withInteraction('/sign-up', interaction),
      appName: (await findWaitingApp(identity, interaction))?.appName,
      signInHref: withInteraction('/sign-in', interaction),
      ...filled,
    })
    return sendPage(request, reply, { status, ...view })
  }

  function showConfirm(
    request: FastifyRequest,
    reply: FastifyReply,
    { email, browser_hash }: MailLink,
    { status = 200, error }: { status?: number; error?: string } = {},
  ) {
    const { messages, csrfField } = request.page
    const view = signUpConfirmView({
      messages,
      csrf: csrfField(),
      // A token of ours, for it has led to a link: nothing in it has to be encoded.
      action: `/sign-up/confirm?token=${parameterOf(request, 'token')}`,
      email,
      askPassword: !browser.is(request, browser_hash),
      error,
    })
    return sendPage(request, reply, { status, ...view })
  }

  function showGone(request: FastifyRequest, reply: FastifyReply) {
    const { messages } = request.page
    return sendPage(request, reply, {
      status: 410,
      ...linkGoneView({ messages, purpose: 'signUp' }),
    })
  }

  function showExists(
    request: FastifyRequest,
    reply: FastifyReply,
    interaction: string | undefined,
  ) {
    const { messages } = request.page
    const signInHref = withInteraction('/sign-in', interaction)
    return sendPage(request, reply, { status: 409, ...accountExistsView({ messages, signInHref }) })
  }
}

/** Whether that is the password that was chosen when the link was asked for. */
async function isPasswordOf({ password_hash }: MailLink, password: string) {
  if (password_hash === null || password.length > 2 * PASSWORD_LENGTH.max) return false
  return passwordMatches(password, password_hash)
}
