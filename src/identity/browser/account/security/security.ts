import type { FastifyInstance, FastifyRequest } from 'fastify'
import { listPasskeys } from '../../../../accounts/credentials/passkey-list.ts'
import {
  countRecoveryCodes,
  fingerprintRecoveryCodes,
} from '../../../../accounts/credentials/recovery-codes.ts'
import { listIdentities } from '../../../../accounts/credentials/upstream-identities.ts'
import { renewRecoveryCodes } from '../../../../accounts/credentials/second-factor.ts'
import { fieldOf } from '../../../../ui/forms/form-field.ts'
import { PageError } from '../../../../ui/page/errors.ts'
import {
  codesView,
  replaceCodesView,
  securityView,
} from '../../../views/account/security/security.ts'
import {
  ACCOUNT_PAGE,
  changeContext,
  sendAccountPage,
  type AccountOptions,
} from '../account-page.ts'
import { checkCurrentPassword } from './current-password.ts'

const CODES_PATH = '/account/security/recovery-codes'

/** Serves the overview of passkeys and the second factor, and replaces recovery codes. */
export async function securityRoutes(app: FastifyInstance, options: AccountOptions) {
  const { db, wakeOutbox, ownerOf, upstream } = options

  app.get('/account/security', ACCOUNT_PAGE, async (request, reply) => {
    const { account } = ownerOf(request)
    const [codesLeft, passkeys, identities] = await Promise.all([
      countRecoveryCodes(db, account.id),
      listPasskeys(db, account.id),
      upstream.length > 0 ? listIdentities(db, account.id) : undefined,
    ])
    const providers = identities?.map(({ issuer }) => labelOf(issuer))
    const data = { hasAuthenticator: account.has_totp, codesLeft, passkeys, providers }
    return sendAccountPage(request, reply, securityView(request.page, data))
  })

  app.get(CODES_PATH, ACCOUNT_PAGE, async (request, reply) => {
    const mark = await fingerprintRecoveryCodes(db, authenticatorOwner(request).account.id)
    return sendAccountPage(request, reply, replaceCodesView(request.page, { mark }))
  })

  app.post(CODES_PATH, ACCOUNT_PAGE, async (request, reply) => {
    const { account, session } = authenticatorOwner(request)
    const mark = fieldOf(request, 'mark')
    const refused = await checkCurrentPassword(options, request, reply, account)
    if (refused) {
      const view = replaceCodesView(request.page, { mark, error: refused.error })
      return sendAccountPage(request, reply, view, refused.status)
    }
    const codes = await renewRecoveryCodes(db, account.id, {
      session: session.uid,
      mark,
      ...changeContext(request),
    })
    if (!codes)
      throw new PageError(409, undefined, request.page.messages.accountCodes.replacedBefore)
    wakeOutbox()
    return sendAccountPage(request, reply, codesView(request.page, codes))
  })

  const labelOf = (issuer: string) =>
    upstream.find(({ provider }) => provider.issuer === issuer)?.provider.label ?? issuer

  function authenticatorOwner(request: FastifyRequest) {
    const owner = ownerOf(request)
    if (!owner.account.has_totp)
      throw new PageError(409, undefined, request.page.messages.accountCodes.needsAuthenticator)
    return owner
  }
}
