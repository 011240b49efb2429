import type { FastifyInstance } from 'fastify'
import { findApps } from '../../../apps/queries.ts'
import { listEvents } from '../../../audit/events.ts'
import { historyView } from '../../views/account/history.ts'
import { GUARDED, type AccountOptions } from './owner.ts'
import { sendAccountPage } from './send-account-page.ts'

const EVENTS = 50

/** `/account/history`: what happened to the account. */
export async function historyRoutes(app: FastifyInstance, { db, ownerOf }: AccountOptions) {
  app.get('/account/history', GUARDED, async (request, reply) => {
    const events = await listEvents(db, ownerOf(request).account.id, { limit: EVENTS })
    const clientIds = [...new Set(events.flatMap(({ client_id }) => client_id ?? []))]
    const apps = clientIds.length > 0 ? await findApps(db, clientIds) : []
    const appNames = new Map(apps.map(({ client_id, client_name }) => [client_id, client_name]))
    return sendAccountPage(request, reply, historyView(request.page, { events, appNames }))
  })
}
