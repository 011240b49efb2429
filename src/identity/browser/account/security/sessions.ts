import type { FastifyInstance } from 'fastify'
import {
  deleteTrustedBrowser,
  listTrustedBrowsers,
} from '../../../../accounts/sign-in/trusted-browsers.ts'
import { recordEvent } from '../../../../audit/events.ts'
import { isId } from '../../../../http/wire/requests/validation.ts'
import { fieldOf } from '../../../../ui/forms/form-field.ts'
import { endSessions, listSessions } from '../../../provider/storage/session-queries.ts'
import { sessionsView } from '../../../views/account/security/sessions.ts'
import { originOf } from '../../../../audit/origin-of.ts'
import {
  ACCOUNT_PAGE,
  redirectWithAccountNotice,
  sendAccountPage,
  type AccountOptions,
} from '../account-page.ts'

/** `/account/sessions`: lists the account's sessions and trusted browsers, and ends them. */
export async function sessionRoutes(
  app: FastifyInstance,
  { db, identity, ownerOf }: AccountOptions,
) {
  app.get('/account/sessions', ACCOUNT_PAGE, async (request, reply) => {
    const { account, session } = ownerOf(request)
    const [sessions, trusted] = await Promise.all([
      listSessions(db, account.id),
      listTrustedBrowsers(db, account.id),
    ])
    const data = { sessions, current: session.uid, address: request.ip, trusted }
    return sendAccountPage(request, reply, sessionsView(request.page, data))
  })

  app.post('/account/sessions/distrust', ACCOUNT_PAGE, async (request, reply) => {
    const { account } = ownerOf(request)
    const id = fieldOf(request, 'browser')
    if (!isId(id) || !(await deleteTrustedBrowser(db, account.id, Number(id))))
      return reply.redirect('/account/sessions', 303)
    await recordEvent(db, { kind: 'trust_withdrawn', accountId: account.id, ...originOf(request) })
    return redirectWithAccountNotice(reply, '/account/sessions', 'trust_withdrawn')
  })

  app.post('/account/sessions/end', ACCOUNT_PAGE, async (request, reply) => {
    const { account } = ownerOf(request)
    const ended = await endSessions(db, account.id, { uid: fieldOf(request, 'session') })
    if (ended.length === 0) return reply.redirect('/account/sessions', 303)
    identity.notifyAppsOfSignOut(ended)
    await recordEvent(db, { kind: 'session_ended', accountId: account.id, ...originOf(request) })
    return redirectWithAccountNotice(reply, '/account/sessions', 'session_ended')
  })

  app.post('/account/sessions/end-others', ACCOUNT_PAGE, async (request, reply) => {
    const { account, session } = ownerOf(request)
    const ended = await endSessions(db, account.id, { except: session.uid })
    identity.notifyAppsOfSignOut(ended)
    if (ended.length > 0)
      await recordEvent(db, {
        kind: 'session_ended',
        accountId: account.id,
        ...originOf(request),
        details: { sessions: ended.length },
      })
    return redirectWithAccountNotice(reply, '/account/sessions', 'others_ended')
  })
}
