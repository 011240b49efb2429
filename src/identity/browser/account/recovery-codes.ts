import type { FastifyInstance, FastifyRequest } from 'fastify'
import { replaceRecoveryCodes } from '../../../accounts/credentials/recovery-codes.ts'
import { PageError } from '../../../pages/errors.ts'
import { codesView, replaceCodesView } from '../../views/account/recovery-codes.ts'
import { checkCurrentPassword } from './current-password.ts'
import { GUARDED, type AccountOptions, type Owner } from './owner.ts'
import { sendAccountPage } from './send-account-page.ts'

const PATH = '/account/security/recovery-codes'

/** New recovery codes in place of the old ones, shown once. */
export async function recoveryCodeRoutes(app: FastifyInstance, options: AccountOptions) {
  const { db, ownerOf } = options

  app.get(PATH, GUARDED, async (request, reply) => {
    needAuthenticator(request, ownerOf(request))
    return sendAccountPage(request, reply, replaceCodesView(request.page, {}))
  })

  app.post(PATH, GUARDED, async (request, reply) => {
    const { account } = ownerOf(request)
    needAuthenticator(request, ownerOf(request))
    const refused = await checkCurrentPassword(options, request, reply, account)
    if (refused) return sendAccountPage(request, reply, replaceCodesView(request.page, refused), refused)
    const codes = await replaceRecoveryCodes(db, account.id)
    return sendAccountPage(request, reply, codesView(request.page, codes))
  })
}

function needAuthenticator({ page }: FastifyRequest, { account }: Owner) {
  if (!account.has_totp) throw new PageError(409, undefined, page.messages.accountCodes.needsAuthenticator)
}
