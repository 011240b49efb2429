import type { FastifyInstance } from 'fastify'
import { recordEvent } from '../../../audit/events.ts'
import { fieldOf } from '../../../pages/form-field.ts'
import { endSessions, listSessions } from '../../provider/session-queries.ts'
import { sessionsView } from '../../views/account/sessions.ts'
import { originOf } from '../complete-sign-in.ts'
import { redirectWithNotice } from './notices.ts'
import { GUARDED, type AccountOptions } from './owner.ts'
import { sendAccountPage } from './send-account-page.ts'

/** `/account/sessions`: where the account is signed in, and ending it there. */
export async function sessionRoutes(app: FastifyInstance, { db, identity, ownerOf }: AccountOptions) {
  app.get('/account/sessions', GUARDED, async (request, reply) => {
    const { account, session } = ownerOf(request)
    const sessions = await listSessions(db, account.id)
    return sendAccountPage(request, reply, sessionsView(request.page, { sessions, current: session.uid }))
  })

  app.post('/account/sessions/end', GUARDED, async (request, reply) => {
    const { account } = ownerOf(request)
    const ended = await endSessions(db, account.id, { uid: fieldOf(request, 'session') })
    if (ended.length === 0) return reply.redirect('/account/sessions', 303)
    identity.announceSignOut(ended)
    await recordEvent(db, { kind: 'session_ended', accountId: account.id, ...originOf(request) })
    return redirectWithNotice(reply, '/account/sessions', 'session_ended')
  })

  app.post('/account/sessions/end-others', GUARDED, async (request, reply) => {
    const { account, session } = ownerOf(request)
    const ended = await endSessions(db, account.id, { except: session.uid })
    identity.announceSignOut(ended)
    if (ended.length > 0)
      await recordEvent(db, {
        kind: 'session_ended',
        accountId: account.id,
        ...originOf(request),
        details: { sessions: ended.length },
      })
    return redirectWithNotice(reply, '/account/sessions', 'others_ended')
  })
}
