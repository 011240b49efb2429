import { banAccount, unbanAccount } from '../accounts/ban-queries.ts'
import { enqueueModerationMail } from '../accounts/mail/moderation-mail.ts'
import { resetFactors } from '../accounts/operator-queries.ts'
import { findAccount } from '../accounts/queries.ts'
import { setRole, type Role, type RoleOutcome } from '../accounts/role-queries.ts'
import { setAppEnabled, setAppLimit } from '../apps/queries.ts'
import type { Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { inTransaction } from '../db/transaction.ts'

/** Who acts, from where and why, and where whom it concerns can object. */
export type DeskAct = { from: Origin; reason: string; contact: string }

export type BanOutcome = 'done' | 'missing' | 'self' | 'has_role'

/**
 * What the commands of accounts and apps do, done by somebody at the desk: each tells the person concerned in the same
 * transaction.
 */
export function banAtDesk(db: Database, id: number, { from, reason, contact }: DeskAct): Promise<BanOutcome> {
  return inTransaction(db, async (trx) => {
    if (id === from.actorId) return 'self'
    const account = await findAccount(trx, id)
    if (!account) return 'missing'
    // So that the last administrator cannot go this way either.
    if (account.role !== null) return 'has_role'
    await banAccount(trx, id, reason, from)
    await enqueueModerationMail(trx, id, { kind: 'account_banned', note: reason, contact })
    return 'done'
  })
}

/** @returns false when it is not banned */
export function unbanAtDesk(db: Database, id: number, { from, reason, contact }: DeskAct): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if (!(await unbanAccount(trx, id, { ...from, reason }))) return false
    await enqueueModerationMail(trx, id, { kind: 'account_unbanned', note: reason, contact })
    return true
  })
}

export function resetFactorsAtDesk(
  db: Database,
  id: number,
  { from, reason, contact }: DeskAct,
): Promise<void> {
  return inTransaction(db, async (trx) => {
    await resetFactors(trx, id, { ...from, reason })
    await enqueueModerationMail(trx, id, { kind: 'factors_removed', note: reason, contact })
  })
}

export function setRoleAtDesk(
  db: Database,
  id: number,
  role: Role | null,
  { from, reason, contact }: DeskAct,
): Promise<RoleOutcome['outcome']> {
  return inTransaction(db, async (trx) => {
    const { outcome } = await setRole(trx, id, role, { ...from, reason })
    if (outcome === 'changed')
      await enqueueModerationMail(trx, id, { kind: 'role_changed', note: reason, contact })
    return outcome
  })
}

type ChangedApp = { client_id: string; client_name: string; account_id: number | null }

/** @returns false when there is no such app */
export function setAppEnabledAtDesk(
  db: Database,
  app: ChangedApp,
  enabled: boolean,
  act: DeskAct,
): Promise<boolean> {
  return changeApp(db, app, enabled ? 'app_enabled' : 'app_disabled', act, (trx, from) =>
    setAppEnabled(trx, app.client_id, enabled, from),
  )
}

/** @param limit requests a minute; null: that of every other app */
export function setAppLimitAtDesk(
  db: Database,
  app: ChangedApp,
  limit: number | null,
  act: DeskAct,
): Promise<boolean> {
  return changeApp(db, app, 'app_limited', act, (trx, from) => setAppLimit(trx, app.client_id, limit, from))
}

function changeApp(
  db: Database,
  { client_name: what, account_id: developer }: ChangedApp,
  kind: 'app_enabled' | 'app_disabled' | 'app_limited',
  { from, reason, contact }: DeskAct,
  change: (trx: Database, from: Origin & { reason: string }) => Promise<boolean>,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if (!(await change(trx, { ...from, reason }))) return false
    if (developer !== null) await enqueueModerationMail(trx, developer, { kind, what, note: reason, contact })
    return true
  })
}
