import type { FastifyInstance } from 'fastify'
import { listPasskeys } from '../../../../accounts/credentials/passkey-list.ts'
import { countRecoveryCodes } from '../../../../accounts/credentials/recovery-codes.ts'
import { securityView } from '../../../views/account/security/security.ts'
import { GUARDED, type AccountOptions } from '../owner.ts'
import { sendAccountPage } from '../send-account-page.ts'

/** `/account/security`: what there is beside the password. */
export async function securityRoutes(app: FastifyInstance, { db, ownerOf }: AccountOptions) {
  app.get('/account/security', GUARDED, async (request, reply) => {
    const { account } = ownerOf(request)
    const [codesLeft, passkeys] = await Promise.all([
      countRecoveryCodes(db, account.id),
      listPasskeys(db, account.id),
    ])
    const hasAuthenticator = account.has_totp
    return sendAccountPage(
      request,
      reply,
      securityView(request.page, { hasAuthenticator, codesLeft, passkeys }),
    )
  })
}
