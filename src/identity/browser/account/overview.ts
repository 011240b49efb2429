import type { FastifyInstance } from 'fastify'
import { listPasskeys } from '../../../accounts/credentials/passkey-list.ts'
import { countRecoveryCodes } from '../../../accounts/credentials/recovery-codes.ts'
import { listSignIns, recordEvent } from '../../../audit/events.ts'
import { listConnectedApps } from '../../provider/storage/queries.ts'
import { listSessions } from '../../provider/storage/session-queries.ts'
import { overviewView } from '../../views/account/overview.ts'
import { originOf } from '../../../audit/origin-of.ts'
import { GUARDED, type AccountOptions } from './owner.ts'
import { sendAccountPage } from './send-account-page.ts'

/** `/account`, which leads to all the others, and signing out. */
export async function overviewRoutes(
  app: FastifyInstance,
  { db, sessions, ownerOf }: AccountOptions,
) {
  app.get('/account', GUARDED, async (request, reply) => {
    const { account } = ownerOf(request)
    const [sessions, apps, passkeys, codesLeft, signIns] = await Promise.all([
      listSessions(db, account.id),
      listConnectedApps(db, account.id),
      listPasskeys(db, account.id),
      countRecoveryCodes(db, account.id),
      listSignIns(db, account.id, { limit: 2 }),
    ])
    const counts = {
      sessions: sessions.length,
      apps: apps.length,
      passkeys: passkeys.length,
      codesLeft,
    }
    const data = { account, ...counts, signIns, address: request.ip }
    return sendAccountPage(request, reply, overviewView(request.page, data))
  })

  app.post('/account/sign-out', GUARDED, async (request, reply) => {
    const { account } = ownerOf(request)
    await sessions.signOut(request, reply)
    await recordEvent(db, { kind: 'sign_out', accountId: account.id, ...originOf(request) })
    return reply.redirect('/signed-out', 303)
  })
}
