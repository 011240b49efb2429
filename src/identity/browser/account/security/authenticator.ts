import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { confirmTotp, disableTotp } from '../../../../accounts/credentials/second-factor.ts'
import { isTotpSecret, generateTotpSecret } from '../../../../accounts/credentials/totp.ts'
import { PageError } from '../../../../ui/page/errors.ts'
import { fieldOf } from '../../../../ui/forms/form-field.ts'
import {
  authenticatorOffView,
  authenticatorView,
} from '../../../views/account/security/authenticator.ts'
import { codesView } from '../../../views/account/security/security.ts'
import { checkCurrentPassword } from './current-password.ts'
import {
  ACCOUNT_PAGE,
  changeContext,
  redirectWithAccountNotice,
  sendAccountPage,
  type AccountOptions,
} from '../account-page.ts'

const PATH = '/account/security/authenticator'

/** Turns the authenticator app on and off. */
export async function authenticatorRoutes(app: FastifyInstance, options: AccountOptions) {
  const { db, secretKey, wakeOutbox, ownerOf } = options

  app.get(PATH, ACCOUNT_PAGE, async (request, reply) => {
    refuseIfEnabled(request)
    return show(
      request,
      reply,
      generateTotpSecret(ownerOf(request).account.email, request.page.siteName),
      {},
    )
  })

  app.post(PATH, ACCOUNT_PAGE, async (request, reply) => {
    refuseIfEnabled(request)
    const { account, session } = ownerOf(request)
    const { messages } = request.page
    const entered = fieldOf(request, 'secret')
    const fresh = generateTotpSecret(account.email, request.page.siteName)
    // Keeps the secret that the authenticator app already has, even after an error. Until it is confirmed, only the
    // form stores it.
    const totp = isTotpSecret(entered)
      ? { secret: entered, uri: withSecret(fresh.uri, entered) }
      : fresh
    const refused = await checkCurrentPassword(options, request, reply, account)
    if (refused)
      return show(request, reply, totp, { current_password: refused.error }, refused.status)
    const codes = await confirmTotp(db, account.id, {
      secret: totp.secret,
      code: fieldOf(request, 'code'),
      secretKey,
      session: session.uid,
      ...changeContext(request),
    })
    if (!codes)
      return show(request, reply, totp, { code: messages.accountAuthenticator.wrong }, 422)
    wakeOutbox()
    return sendAccountPage(request, reply, {
      ...codesView(request.page, codes),
      notice: messages.accountCodes.on,
    })
  })

  app.get(`${PATH}/off`, ACCOUNT_PAGE, async (request, reply) =>
    ownerOf(request).account.has_totp
      ? sendAccountPage(request, reply, authenticatorOffView(request.page, {}))
      : reply.redirect('/account/security', 303),
  )

  app.post(`${PATH}/off`, ACCOUNT_PAGE, async (request, reply) => {
    const { account } = ownerOf(request)
    const refused = await checkCurrentPassword(options, request, reply, account)
    if (refused)
      return sendAccountPage(
        request,
        reply,
        authenticatorOffView(request.page, refused),
        refused.status,
      )
    await disableTotp(db, account.id, changeContext(request))
    wakeOutbox()
    return redirectWithAccountNotice(reply, '/account/security', 'authenticator_off')
  })

  function refuseIfEnabled(request: FastifyRequest) {
    if (ownerOf(request).account.has_totp)
      throw new PageError(409, undefined, request.page.messages.accountAuthenticator.onAlready)
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    totp: { secret: string; uri: string },
    errors: { code?: string; current_password?: string },
    status = 200,
  ) {
    const view = authenticatorView(request.page, { ...totp, errors })
    return sendAccountPage(request, reply, view, status)
  }
}

function withSecret(path: string, secret: string) {
  const uri = new URL(path)
  uri.searchParams.set('secret', secret)
  return uri.href
}
