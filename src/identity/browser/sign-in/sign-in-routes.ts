import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findAccount, type Account } from '../../../accounts/queries.ts'
import { checkSecondFactor } from '../../../accounts/credentials/second-factor.ts'
import { isTrusted, trustBrowser } from '../../../accounts/sign-in/trusted-browsers.ts'
import { verifyCredentials } from '../../../accounts/sign-in/sign-in.ts'
import {
  authenticationOptions,
  finishAuthentication,
} from '../../../accounts/credentials/passkeys.ts'
import { recordEvent } from '../../../audit/events.ts'
import { fieldOf, jsonFieldOf, parameterOf } from '../../../ui/forms/form-field.ts'
import { takeNotice } from '../../../ui/page/notice.ts'
import { sendPage } from '../../../ui/page/send-page.ts'
import { signInReason } from '../../../ui/forms/way-back.ts'
import { requestParameter } from '../../provider/requests/request-parameter.ts'
import { secondFactorView } from '../../views/second-factor.ts'
import { signInView } from '../../views/sign-in.ts'
import { answerTooManyAttempts } from './answer-wait.ts'
import type { Method } from '../browser-session.ts'
import { originOf } from '../../../audit/origin-of.ts'
import { completeSignIn, cookieOptions, deviceCookieName } from './complete-sign-in.ts'
import { interactionOf, withInteraction } from '../interaction-id.ts'
import { TrustCookie } from './trust-cookie.ts'
import { PendingSignIn } from './pending-sign-in.ts'
import type { BrowserOptions } from '../options.ts'
import { findWaitingApp } from '../waiting-app.ts'

/** Signing in: with a password and, where the account has it, a second factor; or with a passkey alone. */
export async function signInRoutes(app: FastifyInstance, options: BrowserOptions) {
  const { db, identity, sessions, authUrl, secretKey, securityContact } = options
  const common = { config: { access: 'public' }, schema: { hide: true } } as const
  const pending = new PendingSignIn(cookieOptions(authUrl))
  const trust = new TrustCookie(authUrl)

  app.get('/sign-in', common, async (request, reply) => {
    const interaction = interactionOf(request)
    // Who is signed in may be asked for it anew, before something that not everybody may do.
    const isAgain = parameterOf(request, 'again') !== ''
    if (interaction === undefined && !isAgain && (await sessions.current(request)))
      return reply.redirect('/account', 303)
    return show(request, reply)
  })

  app.post('/sign-in', common, async (request, reply) => {
    const email = fieldOf(request, 'email').trim()
    const result = await verifyCredentials(db, {
      email,
      password: fieldOf(request, 'password'),
      address: request.ip,
      userAgent: originOf(request).userAgent,
      device: request.cookies[deviceCookieName(authUrl)],
    })
    const { signIn: words } = request.page.messages
    switch (result.outcome) {
      case 'wait':
        return show(request, reply, {
          email,
          ...answerTooManyAttempts(reply, result.seconds, request.page.messages),
        })
      case 'wrong':
        return show(request, reply, { status: 422, email, error: words.wrong })
      case 'banned':
        return show(request, reply, {
          status: 403,
          email,
          error: bannedText(request, result.account),
        })
      case 'ok':
        if (
          !result.needsSecondFactor ||
          (await isTrusted(db, result.account.id, trust.read(request)))
        )
          return signIn(request, reply, result.account, ['pwd'])
        pending.begin(reply, result.account)
        return reply.redirect(
          withInteraction('/sign-in/second-factor', interactionOf(request)),
          303,
        )
    }
  })

  app.get('/sign-in/second-factor', common, async (request, reply) => {
    if (!pending.read(request))
      return reply.redirect(withInteraction('/sign-in', interactionOf(request)), 303)
    return showSecondFactor(request, reply)
  })

  app.post('/sign-in/second-factor', common, async (request, reply) => {
    const pendingSignIn = pending.read(request)
    const account = pendingSignIn && (await findAccount(db, pendingSignIn.accountId))
    if (!account || account.banned_at || account.updated_at.getTime() !== pendingSignIn.updatedAt)
      return reply.redirect(withInteraction('/sign-in', interactionOf(request)), 303)
    const { secondFactor: words } = request.page.messages
    const recoveryCode = fieldOf(request, 'recovery_code')
    const isRecovery = recoveryCode !== ''
    const code = isRecovery ? recoveryCode : fieldOf(request, 'code')
    const check = await checkSecondFactor(db, account.id, { code, secretKey })
    if (check.outcome === 'wait')
      return showSecondFactor(request, reply, {
        ...answerTooManyAttempts(reply, check.seconds, request.page.messages),
        isRecovery,
      })
    if (check.outcome === 'wrong') {
      await recordEvent(db, { kind: 'sign_in_failed', accountId: account.id, ...originOf(request) })
      return showSecondFactor(request, reply, {
        status: 422,
        error: isRecovery ? words.wrongRecovery : words.wrong,
        isRecovery,
      })
    }
    // Only by the app itself: a recovery code is for who has lost it.
    if (fieldOf(request, 'trust') === 'yes' && check.by === 'totp') {
      trust.add(request, reply, await trustBrowser(db, account.id, originOf(request)))
      await recordEvent(db, {
        kind: 'browser_trusted',
        accountId: account.id,
        ...originOf(request),
      })
    }
    return signIn(request, reply, account, ['pwd', 'otp'])
  })

  /** Fetched by the page's script, which then sends the form of the next route. */
  app.post('/sign-in/passkey/options', common, async () => authenticationOptions(db, authUrl))

  app.post('/sign-in/passkey', common, async (request, reply) => {
    const result = await finishAuthentication(db, authUrl, jsonFieldOf(request, 'response'))
    const { signIn: words } = request.page.messages
    if (result.outcome === 'wrong')
      return show(request, reply, { status: 422, error: words.passkeyWrong })
    if (result.outcome === 'banned')
      return show(request, reply, { status: 403, error: bannedText(request, result.account) })
    return signIn(request, reply, result.account, ['hwk'])
  })

  function signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    account: Account,
    methods: Method[],
  ) {
    pending.end(reply)
    return completeSignIn(options, request, reply, {
      account,
      methods,
      interaction: interactionOf(request),
    })
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { status = 200, email, error }: { status?: number; email?: string; error?: string } = {},
  ) {
    const interaction = interactionOf(request)
    const waiting =
      interaction === undefined
        ? undefined
        : await identity.provider().Interaction.find(interaction)
    const client =
      waiting &&
      (await identity.provider().Client.find(requestParameter(waiting.params, 'client_id')))
    const hint = waiting?.params['login_hint']
    const { messages, csrfField } = request.page
    const wasReset = takeNotice(request, reply, ['password_reset']) !== undefined
    const reason = interaction === undefined ? signInReason(request) : undefined
    return sendPage(request, reply, {
      status,
      ...signInView({
        messages,
        csrf: csrfField(),
        action: withInteraction('/sign-in', interaction),
        email: email ?? (typeof hint === 'string' ? hint : ''),
        signUpHref: withInteraction('/sign-up', interaction),
        forgottenHref: withInteraction('/forgotten-password', interaction),
        passkeyAction: withInteraction('/sign-in/passkey', interaction),
        reason: reason && messages.signIn.reasons[reason],
        ...(wasReset && { notice: messages.resetPassword.done }),
        ...(client && {
          appName: client.clientName ?? client.clientId,
          cancelAction: `/interaction/${interaction}`,
        }),
        ...(error !== undefined && { error }),
      }),
    })
  }

  async function showSecondFactor(
    request: FastifyRequest,
    reply: FastifyReply,
    { status = 200, ...shown }: { status?: number; error?: string; isRecovery?: boolean } = {},
  ) {
    const interaction = interactionOf(request)
    const waiting = await findWaitingApp(identity, interaction)
    const { messages, csrfField } = request.page
    return sendPage(request, reply, {
      status,
      ...secondFactorView({
        messages,
        csrf: csrfField(),
        action: withInteraction('/sign-in/second-factor', interaction),
        passkeyAction: withInteraction('/sign-in/passkey', interaction),
        otherHref: withInteraction('/sign-in', interaction),
        contact: securityContact,
        ...(waiting && {
          appName: waiting.appName,
          cancelAction: `/interaction/${waiting.interaction}`,
        }),
        ...shown,
      }),
    })
  }
}

/** Shown only to somebody who has proved that the account is theirs. */
const bannedText = ({ page }: FastifyRequest, { ban_reason: reason }: Account) =>
  reason === null ? page.messages.signIn.banned : `${page.messages.signIn.banned} (${reason})`
