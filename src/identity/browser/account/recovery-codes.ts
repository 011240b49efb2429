import type { FastifyInstance, FastifyRequest } from 'fastify'
import { renewRecoveryCodes } from '../../../accounts/credentials/second-factor.ts'
import { PageError } from '../../../pages/errors.ts'
import { codesView, replaceCodesView } from '../../views/account/recovery-codes.ts'
import { checkCurrentPassword } from './current-password.ts'
import { changeContext, GUARDED, type AccountOptions, type Owner } from './owner.ts'
import { sendAccountPage } from './send-account-page.ts'

const PATH = '/account/security/recovery-codes'

/** New recovery codes in place of the old ones, shown once. */
export async function recoveryCodeRoutes(app: FastifyInstance, options: AccountOptions) {
  const { db, wakeOutbox, ownerOf } = options

  app.get(PATH, GUARDED, async (request, reply) => {
    needAuthenticator(request, ownerOf(request))
    return sendAccountPage(request, reply, replaceCodesView(request.page, {}))
  })

  app.post(PATH, GUARDED, async (request, reply) => {
    const { account, session } = ownerOf(request)
    needAuthenticator(request, ownerOf(request))
    const refused = await checkCurrentPassword(options, request, reply, account)
    if (refused) return sendAccountPage(request, reply, replaceCodesView(request.page, refused), refused)
    const codes = await renewRecoveryCodes(db, account.id, {
      session: session.uid,
      ...changeContext(request),
    })
    wakeOutbox()
    return sendAccountPage(request, reply, codesView(request.page, codes))
  })
}

function needAuthenticator({ page }: FastifyRequest, { account }: Owner) {
  if (!account.has_totp) throw new PageError(409, undefined, page.messages.accountCodes.needsAuthenticator)
}
