import type { FastifyInstance } from 'fastify'
import { recordEvent } from '../../../audit/events.ts'
import { overviewView } from '../../views/account/overview.ts'
import { originOf } from '../complete-sign-in.ts'
import { GUARDED, type AccountOptions } from './owner.ts'
import { sendAccountPage } from './send-account-page.ts'

/** `/account`, which leads to all the others, and signing out. */
export async function overviewRoutes(app: FastifyInstance, { db, sessions, ownerOf }: AccountOptions) {
  app.get('/account', GUARDED, async (request, reply) =>
    sendAccountPage(request, reply, overviewView(request.page, ownerOf(request).account)),
  )

  app.post('/account/sign-out', GUARDED, async (request, reply) => {
    const { account } = ownerOf(request)
    await sessions.signOut(request, reply)
    await recordEvent(db, { kind: 'sign_out', accountId: account.id, ...originOf(request) })
    return reply.redirect('/sign-in', 303)
  })
}
