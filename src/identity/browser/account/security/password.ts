import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lockSession } from '../../../../accounts/sign-in/lock-session.ts'
import { enqueueNotice } from '../../../../accounts/mail/outbox/outbox.ts'
import { changePassword } from '../../../../accounts/credentials/password-queries.ts'
import { checkNewPassword } from '../../../../accounts/profile/profile-rules.ts'
import { fieldOf } from '../../../../ui/forms/form-field.ts'
import { endSessions, type EndedSession } from '../../../provider/storage/session-queries.ts'
import { passwordView, type PasswordData } from '../../../views/account/security/password.ts'
import { checkCurrentPassword } from './current-password.ts'
import {
  ACCOUNT_PAGE,
  changeContext,
  redirectWithAccountNotice,
  sendAccountPage,
  type AccountOptions,
} from '../account-page.ts'

/** `/account/password`: changes the password and ends every other session. */
export async function passwordRoutes(app: FastifyInstance, options: AccountOptions) {
  const { db, identity, wakeOutbox, ownerOf } = options

  app.get('/account/password', ACCOUNT_PAGE, async (request, reply) => show(request, reply, {}))

  app.post('/account/password', ACCOUNT_PAGE, async (request, reply) => {
    const { account, session } = ownerOf(request)
    const { messages } = request.page
    const refused = await checkCurrentPassword(options, request, reply, account)
    const password = fieldOf(request, 'password')
    const { fault } = checkNewPassword(password, account.email)
    if (refused || fault) {
      const errors = {
        ...(refused && { current_password: refused.error }),
        ...(fault && { password: messages.accountFaults[fault.code] }),
      }
      return show(request, reply, errors, refused?.status ?? 422)
    }
    const context = changeContext(request)
    let ended: EndedSession[] = []
    await changePassword(db, account.id, password, context, async (trx) => {
      await lockSession(trx, account.id, session.uid)
      ended = await endSessions(trx, account.id, { except: session.uid })
      await enqueueNotice(trx, account.id, { kind: 'password_changed', ...context })
    })
    identity.notifyAppsOfSignOut(ended)
    wakeOutbox()
    return redirectWithAccountNotice(reply, '/account/password', 'password_changed')
  })

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    errors: PasswordData['errors'],
    status = 200,
  ) {
    const { email } = ownerOf(request).account
    return sendAccountPage(request, reply, passwordView(request.page, { email, errors }), status)
  }
}
