import type { FastifyInstance } from 'fastify'
import { listPasskeys } from '../../../accounts/credentials/passkey-list.ts'
import { countRecoveryCodes } from '../../../accounts/credentials/recovery-codes.ts'
import { exportAccount } from '../../../accounts/profile/export.ts'
import { findApps } from '../../../apps/queries.ts'
import { listEvents, listSignIns, recordEvent } from '../../../audit/events.ts'
import { originOf } from '../../../audit/origin-of.ts'
import { takeReturnPath } from '../../../ui/forms/return-path.ts'
import { listConnectedApps } from '../../provider/storage/consent-queries.ts'
import { listSessions } from '../../provider/storage/session-queries.ts'
import { historyView } from '../../views/account/history.ts'
import { overviewView, welcomeView } from '../../views/account/overview.ts'
import { ACCOUNT_PAGE, sendAccountPage, type AccountOptions } from './account-page.ts'

const MAX_EVENTS = 50

/** Serves the account's overview, the welcome page, the history, the data export and the sign-out. */
export async function overviewRoutes(
  app: FastifyInstance,
  { db, sessions, ownerOf }: AccountOptions,
) {
  app.get('/account', ACCOUNT_PAGE, async (request, reply) => {
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

  app.get('/account/welcome', ACCOUNT_PAGE, async (request, reply) => {
    const next = takeReturnPath(request, reply) ?? '/account'
    const { name } = ownerOf(request).account
    return sendAccountPage(request, reply, welcomeView(request.page, name, next))
  })

  app.get('/account/history', ACCOUNT_PAGE, async (request, reply) => {
    const events = await listEvents(db, ownerOf(request).account.id, { limit: MAX_EVENTS })
    const clientIds = [...new Set(events.flatMap(({ client_id }) => client_id ?? []))]
    const apps = clientIds.length > 0 ? await findApps(db, clientIds) : []
    const appNames = new Map(apps.map(({ client_id, client_name }) => [client_id, client_name]))
    return sendAccountPage(request, reply, historyView(request.page, { events, appNames }))
  })

  app.get('/account/data', ACCOUNT_PAGE, async (request, reply) => {
    const { account } = ownerOf(request)
    const data = await exportAccount(db, account.id)
    return reply
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': `attachment; filename="mokuroku-account-${account.id}.json"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': request.id,
      })
      .send(`${JSON.stringify(data, undefined, 2)}\n`)
  })

  app.post('/account/sign-out', ACCOUNT_PAGE, async (request, reply) => {
    const { account } = ownerOf(request)
    await sessions.signOut(request, reply)
    await recordEvent(db, { kind: 'sign_out', accountId: account.id, ...originOf(request) })
    return reply.redirect('/signed-out', 303)
  })
}
