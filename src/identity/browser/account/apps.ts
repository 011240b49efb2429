import type { FastifyInstance } from 'fastify'
import { recordEvent } from '../../../audit/events.ts'
import { logoOf } from '../../../apps/app-response.ts'
import { fieldOf } from '../../../ui/forms/form-field.ts'
import { offlineSince } from '../../lifetimes.ts'
import { listConnectedApps, withdrawConsent } from '../../provider/storage/queries.ts'
import { appsView } from '../../views/account/apps.ts'
import { originOf } from '../../../audit/origin-of.ts'
import { redirectWithAccountNotice } from './notices.ts'
import { GUARDED, type AccountOptions } from './owner.ts'
import { sendAccountPage } from './send-account-page.ts'

/** `/account/apps`: what apps were allowed, and taking it back. */
export async function appsRoutes(app: FastifyInstance, { db, ownerOf }: AccountOptions) {
  app.get('/account/apps', GUARDED, async (request, reply) => {
    const apps = await listConnectedApps(db, ownerOf(request).account.id)
    const shown = apps.map(({ logo_hash: hash, updated_at: allowedAt, ...app }) => ({
      ...app,
      logo: logoOf({ logo: null, logo_hash: hash }),
      offline: app.scopes.includes('offline_access') ? offlineSince(allowedAt) : undefined,
    }))
    return sendAccountPage(request, reply, appsView(request.page, shown))
  })

  app.post('/account/apps/withdraw', GUARDED, async (request, reply) => {
    const { account } = ownerOf(request)
    const clientId = fieldOf(request, 'client_id')
    if (!(await withdrawConsent(db, account.id, clientId)))
      return reply.redirect('/account/apps', 303)
    await recordEvent(db, {
      kind: 'consent_withdrawn',
      accountId: account.id,
      clientId,
      ...originOf(request),
    })
    return redirectWithAccountNotice(reply, '/account/apps', 'consent_withdrawn')
  })
}
