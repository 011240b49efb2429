import type { FastifyInstance, FastifyRequest } from 'fastify'
import { markOfRecoveryCodes } from '../../../../accounts/credentials/recovery-codes.ts'
import { renewRecoveryCodes } from '../../../../accounts/credentials/second-factor.ts'
import { PageError } from '../../../../ui/page/errors.ts'
import { fieldOf } from '../../../../ui/forms/form-field.ts'
import { codesView, replaceCodesView } from '../../../views/account/security/recovery-codes.ts'
import { checkCurrentPassword } from './current-password.ts'
import { changeContext, GUARDED, type AccountOptions, type Owner } from '../owner.ts'
import { sendAccountPage } from '../send-account-page.ts'

const PATH = '/account/security/recovery-codes'

/** New recovery codes in place of the old ones, shown once. */
export async function recoveryCodeRoutes(app: FastifyInstance, options: AccountOptions) {
  const { db, wakeOutbox, ownerOf } = options

  app.get(PATH, GUARDED, async (request, reply) => {
    const owner = ownerOf(request)
    needAuthenticator(request, owner)
    const mark = await markOfRecoveryCodes(db, owner.account.id)
    return sendAccountPage(request, reply, replaceCodesView(request.page, { mark }))
  })

  app.post(PATH, GUARDED, async (request, reply) => {
    const { account, session } = ownerOf(request)
    needAuthenticator(request, ownerOf(request))
    const mark = fieldOf(request, 'mark')
    const refused = await checkCurrentPassword(options, request, reply, account)
    if (refused)
      return sendAccountPage(
        request,
        reply,
        replaceCodesView(request.page, { mark, ...refused }),
        refused,
      )
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
}

function needAuthenticator({ page }: FastifyRequest, { account }: Owner) {
  if (!account.has_totp)
    throw new PageError(409, undefined, page.messages.accountCodes.needsAuthenticator)
}
