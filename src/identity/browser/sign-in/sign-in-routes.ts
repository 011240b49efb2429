import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  authenticationOptions,
  finishAuthentication,
} from '../../../accounts/credentials/passkeys.ts'
import { checkSecondFactor } from '../../../accounts/credentials/second-factor.ts'
import type { Account } from '../../../accounts/queries.ts'
import { verifyCredentials } from '../../../accounts/sign-in/sign-in.ts'
import { trustBrowser } from '../../../accounts/sign-in/trusted-browsers.ts'
import { recordEvent } from '../../../audit/events.ts'
import { originOf } from '../../../audit/origin-of.ts'
import { fieldOf, jsonFieldOf, queryParameterOf } from '../../../ui/forms/form-field.ts'
import { refererPath, storeReturnPath } from '../../../ui/forms/return-path.ts'
import { sendPage } from '../../../ui/page/send-page.ts'
import { secondFactorView } from '../../views/second-factor.ts'
import { signedOutView } from '../../views/sign-out.ts'
import type { SignInMethod } from '../browser-session.ts'
import { findWaitingApp, interactionOf, withInteraction } from '../interaction.ts'
import { PUBLIC_PAGE, type BrowserOptions } from '../options.ts'
import { refuseTooManyAttempts } from './retry-after.ts'
import { completeSignIn, deviceCookieName } from './complete-sign-in.ts'
import { continueSignIn } from './continue-sign-in.ts'
import { PendingSignIn } from './pending-sign-in.ts'
import { bannedText, showSignIn, type ShownSignIn } from './show-sign-in.ts'
import { TrustCookie } from './trust-cookie.ts'

/** Signs in with a password and, if the account has one, a second factor; or with just a passkey. */
export async function signInRoutes(app: FastifyInstance, options: BrowserOptions) {
  const { db, identity, sessions, authUrl, secretKey, contact } = options
  const pending = new PendingSignIn('second-factor', authUrl)
  const trust = new TrustCookie(authUrl)

  app.get('/sign-in', PUBLIC_PAGE, async (request, reply) => {
    const interaction = interactionOf(request)
    // Some pages ask a signed-in user to sign in again.
    const isRepeated = queryParameterOf(request, 'again') !== ''
    if (interaction === undefined && !isRepeated && (await sessions.current(request)))
      return reply.redirect('/account', 303)
    return show(request, reply)
  })

  // Linked from forms that need a recent sign-in. Leads back to the form.
  app.get('/sign-in/again', PUBLIC_PAGE, async (request, reply) => {
    storeReturnPath(reply, refererPath(request, '/account'))
    return reply.header('cache-control', 'no-store').redirect('/sign-in?again=yes', 303)
  })

  app.post('/sign-in', PUBLIC_PAGE, async (request, reply) => {
    const email = fieldOf(request, 'email').trim()
    const { address, userAgent } = originOf(request)
    const result = await verifyCredentials(db, {
      email,
      password: fieldOf(request, 'password'),
      address,
      userAgent,
      device: request.cookies[deviceCookieName(authUrl)],
    })
    const { messages } = request.page
    switch (result.outcome) {
      case 'wait':
        return show(request, reply, {
          email,
          ...refuseTooManyAttempts(reply, result.seconds, messages),
        })
      case 'wrong':
        return show(request, reply, { status: 422, email, error: messages.signIn.wrong })
      case 'banned': {
        const error = bannedText(request, result.account)
        return show(request, reply, { status: 403, email, error })
      }
      case 'ok': {
        const { account } = result
        const interaction = interactionOf(request)
        return continueSignIn(options, request, reply, { account, methods: ['pwd'], interaction })
      }
    }
  })

  app.get('/sign-in/second-factor', PUBLIC_PAGE, async (request, reply) =>
    (await pending.find(db, request))
      ? showSecondFactor(request, reply)
      : reply.redirect(withInteraction('/sign-in', interactionOf(request)), 303),
  )

  app.post('/sign-in/second-factor', PUBLIC_PAGE, async (request, reply) => {
    const found = await pending.find(db, request)
    if (!found) return reply.redirect(withInteraction('/sign-in', interactionOf(request)), 303)
    const { account } = found
    const { messages } = request.page
    const recoveryCode = fieldOf(request, 'recovery_code')
    const isRecovery = recoveryCode !== ''
    const code = isRecovery ? recoveryCode : fieldOf(request, 'code')
    const check = await checkSecondFactor(db, account.id, { code, secretKey })
    if (check.outcome === 'wait')
      return showSecondFactor(request, reply, {
        ...refuseTooManyAttempts(reply, check.seconds, messages),
        isRecovery,
      })
    if (check.outcome === 'wrong') {
      await recordEvent(db, { kind: 'sign_in_failed', accountId: account.id, ...originOf(request) })
      const { wrongRecovery, wrong } = messages.secondFactor
      const error = isRecovery ? wrongRecovery : wrong
      return showSecondFactor(request, reply, { status: 422, error, isRecovery })
    }
    // A recovery code is for users who have lost their authenticator app, and never makes the browser trusted.
    if (fieldOf(request, 'trust') === 'yes' && check.by === 'totp') {
      trust.add(request, reply, await trustBrowser(db, account.id, originOf(request)))
      await recordEvent(db, {
        kind: 'browser_trusted',
        accountId: account.id,
        ...originOf(request),
      })
    }
    return signIn(request, reply, account, [...found.methods, 'otp'])
  })

  // The page's script fetches these options, and then sends the form of the next route.
  app.post('/sign-in/passkey/options', PUBLIC_PAGE, async () => authenticationOptions(db, authUrl))

  app.post('/sign-in/passkey', PUBLIC_PAGE, async (request, reply) => {
    const result = await finishAuthentication(db, authUrl, jsonFieldOf(request, 'response'))
    if (result.outcome === 'wrong')
      return show(request, reply, { status: 422, error: request.page.messages.signIn.passkeyWrong })
    if (result.outcome === 'banned')
      return show(request, reply, { status: 403, error: bannedText(request, result.account) })
    return signIn(request, reply, result.account, ['hwk'])
  })

  app.get('/signed-out', PUBLIC_PAGE, async (request, reply) =>
    (await sessions.current(request))
      ? reply.redirect('/account', 303)
      : sendPage(request, reply, signedOutView(request.page)),
  )

  function signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    account: Account,
    methods: SignInMethod[],
  ) {
    pending.end(reply)
    const interaction = interactionOf(request)
    return completeSignIn(options, request, reply, { account, methods, interaction })
  }

  const show = (request: FastifyRequest, reply: FastifyReply, shown: ShownSignIn = {}) =>
    showSignIn(options, request, reply, { interaction: interactionOf(request), ...shown })

  async function showSecondFactor(
    request: FastifyRequest,
    reply: FastifyReply,
    { status = 200, ...shown }: { status?: number; error?: string; isRecovery?: boolean } = {},
  ) {
    const interaction = interactionOf(request)
    const appName = (await findWaitingApp(identity, interaction))?.appName
    const view = secondFactorView(request.page, { interaction, appName, contact, ...shown })
    return sendPage(request, reply, { status, ...view })
  }
}
