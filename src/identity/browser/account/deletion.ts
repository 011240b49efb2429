import type { FastifyInstance } from 'fastify'
import { deleteAccount } from '../../../accounts/deletion-queries.ts'
import { sendPage } from '../../../pages/send-page.ts'
import { deletedView, deletionView } from '../../views/account/deletion.ts'
import { originOf } from '../complete-sign-in.ts'
import { checkCurrentPassword } from './current-password.ts'
import { GUARDED, type AccountOptions } from './owner.ts'
import { sendAccountPage } from './send-account-page.ts'

/** `/account/delete`: the end of the account and all that belongs to it. */
export async function deletionRoutes(app: FastifyInstance, options: AccountOptions) {
  const { db, sessions, ownerOf } = options

  app.get('/account/delete', GUARDED, async (request, reply) =>
    sendAccountPage(request, reply, deletionView(request.page, {})),
  )

  app.post('/account/delete', GUARDED, async (request, reply) => {
    const { account } = ownerOf(request)
    const refused = await checkCurrentPassword(options, request, reply, account)
    if (refused) return sendAccountPage(request, reply, deletionView(request.page, refused), refused)
    await sessions.signOut(request, reply)
    await deleteAccount(db, account.id, originOf(request))
    return sendPage(request, reply, deletedView(request.page))
  })
}
