import type { FastifyInstance } from 'fastify'
import { peekLink } from '../../accounts/mail/link-queries.ts'
import { refuseStranger } from '../../accounts/mail/not-me.ts'
import { parameterOf } from '../../pages/form-field.ts'
import { sendPage } from '../../pages/send-page.ts'
import { endSessions, type EndedSession } from '../provider/session-queries.ts'
import { linkGoneView } from '../views/link-gone.ts'
import { notMeView } from '../views/not-me.ts'
import { originOf } from './complete-sign-in.ts'
import type { BrowserOptions } from './options.ts'

/** `/not-me`: who gets a mail about what somebody else has done signs everybody out, and chooses another password. */
export async function notMeRoutes(app: FastifyInstance, { db, identity }: BrowserOptions) {
  const common = { config: { access: 'public' }, schema: { hide: true } } as const

  // Asking for it changes nothing: programs that look through mails follow links.
  app.get('/not-me', common, async (request, reply) => {
    const token = parameterOf(request, 'token')
    const link = await peekLink(db, token, 'not_me')
    const { messages } = request.page
    if (!link)
      return sendPage(request, reply, { status: 410, ...linkGoneView({ messages, purpose: 'reset' }) })
    // A token of ours, for it has led to a link: nothing in it has to be encoded.
    return sendPage(request, reply, notMeView(request.page, `/not-me?token=${token}`))
  })

  app.post('/not-me', common, async (request, reply) => {
    const { messages } = request.page
    let ended: EndedSession[] = []
    const reset = await refuseStranger(
      db,
      parameterOf(request, 'token'),
      originOf(request),
      async (trx, id) => {
        ended = await endSessions(trx, id, 'all')
      },
    )
    if (reset === undefined)
      return sendPage(request, reply, { status: 410, ...linkGoneView({ messages, purpose: 'reset' }) })
    identity.announceSignOut(ended)
    return reply.redirect(`/reset-password?token=${reset}`, 303)
  })
}
