import type { FastifyInstance } from 'fastify'
import { deletionTimeOf, requestDeletion } from '../../../accounts/deletion-queries.ts'
import { databaseTime } from '../../../db/upkeep/database-clock.ts'
import { sendPage } from '../../../ui/page/send-page.ts'
import { endSessions, type EndedSession } from '../../provider/storage/session-queries.ts'
import { deletedView, deletionView } from '../../views/account/deletion.ts'
import { checkCurrentPassword } from './security/current-password.ts'
import {
  ACCOUNT_PAGE,
  changeContext,
  sendAccountPage,
  type AccountOptions,
} from './account-page.ts'

/** `/account/delete`: schedules the account's deletion in a week. */
export async function deletionRoutes(app: FastifyInstance, options: AccountOptions) {
  const { db, identity, sessions, wakeOutbox, ownerOf } = options

  app.get('/account/delete', ACCOUNT_PAGE, async (request, reply) =>
    sendAccountPage(request, reply, deletionView(request.page, {})),
  )

  app.post('/account/delete', ACCOUNT_PAGE, async (request, reply) => {
    const { account } = ownerOf(request)
    const refused = await checkCurrentPassword(options, request, reply, account)
    if (refused)
      return sendAccountPage(request, reply, deletionView(request.page, refused), refused.status)
    const until = deletionTimeOf(await databaseTime(db))
    let ended: EndedSession[] = []
    await requestDeletion(db, account.id, changeContext(request), async (trx) => {
      ended = await endSessions(trx, account.id, 'all')
    })
    identity.notifyAppsOfSignOut(ended)
    await sessions.signOut(request, reply)
    wakeOutbox()
    const { timeZone } = request.page
    request.page.viewer = undefined
    return sendPage(request, reply, deletedView(request.page, { until, timeZone }))
  })
}
