import type { FastifyInstance } from 'fastify'
import { holdSession } from '../../../../accounts/sign-in/standing-session.ts'
import { enqueueNotice } from '../../../../accounts/mail/outbox/outbox.ts'
import { changePassword } from '../../../../accounts/credentials/password-queries.ts'
import { checkNewPassword } from '../../../../accounts/profile/profile-rules.ts'
import { fieldOf } from '../../../../ui/forms/form-field.ts'
import { endSessions, type EndedSession } from '../../../provider/storage/session-queries.ts'
import { passwordView } from '../../../views/account/security/password.ts'
import { originOf } from '../../../../audit/origin-of.ts'
import { checkCurrentPassword } from './current-password.ts'
import { redirectWithAccountNotice } from '../notices.ts'
import { GUARDED, type AccountOptions } from '../owner.ts'
import { sendAccountPage } from '../send-account-page.ts'

/** `/account/password`: changing it ends every other session of the account. */
export async function passwordRoutes(app: FastifyInstance, options: AccountOptions) {
  const { db, identity, wakeOutbox, ownerOf } = options

  app.get('/account/password', GUARDED, async (request, reply) =>
    sendAccountPage(
      request,
      reply,
      passwordView(request.page, { email: ownerOf(request).account.email, errors: {} }),
    ),
  )

  app.post('/account/password', GUARDED, async (request, reply) => {
    const { account, session } = ownerOf(request)
    const { language, messages } = request.page
    const refused = await checkCurrentPassword(options, request, reply, account)
    const password = fieldOf(request, 'password')
    const { fault } = checkNewPassword(password, account.email)
    if (refused || fault) {
      const errors = {
        ...(refused && { current_password: refused.error }),
        ...(fault && { password: messages.accountFaults[fault.code] }),
      }
      return sendAccountPage(
        request,
        reply,
        passwordView(request.page, { email: account.email, errors }),
        { status: refused?.status ?? 422 },
      )
    }
    const origin = originOf(request)
    let ended: EndedSession[] = []
    await changePassword(db, account.id, password, origin, async (trx) => {
      await holdSession(trx, account.id, session.uid)
      ended = await endSessions(trx, account.id, { except: session.uid })
      await enqueueNotice(trx, account.id, { kind: 'password_changed', language, ...origin })
    })
    identity.announceSignOut(ended)
    wakeOutbox()
    return redirectWithAccountNotice(reply, '/account/password', 'password_changed')
  })
}
