import type { FastifyInstance } from 'fastify'
import { fieldOf } from '../../../ui/forms/form-field.ts'
import { listConnectedApps, withdrawConsents } from '../../provider/storage/consent-queries.ts'
import { appsView } from '../../views/account/apps.ts'
import { originOf } from '../../../audit/origin-of.ts'
import {
  ACCOUNT_PAGE,
  redirectWithAccountNotice,
  sendAccountPage,
  type AccountOptions,
} from './account-page.ts'

/** `/account/apps`: lists the allowed apps and withdraws consents. */
export async function appsRoutes(app: FastifyInstance, { db, ownerOf }: AccountOptions) {
  app.get('/account/apps', ACCOUNT_PAGE, async (request, reply) => {
    const apps = await listConnectedApps(db, ownerOf(request).account.id)
    return sendAccountPage(request, reply, appsView(request.page, apps))
  })

  app.post('/account/apps/withdraw', ACCOUNT_PAGE, async (request, reply) => {
    const { account } = ownerOf(request)
    const clientId = fieldOf(request, 'client_id')
    if (!(await withdrawConsents(db, account.id, originOf(request), clientId)))
      return reply.redirect('/account/apps', 303)
    return redirectWithAccountNotice(reply, '/account/apps', 'consent_withdrawn')
  })
}
