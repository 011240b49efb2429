import { banAccount, lockAccount, unbanAccount } from '../accounts/ban-queries.ts'
import type { ModerationMailKind } from '../accounts/mail/compose-moderation-mail.ts'
import { enqueueModerationMail } from '../accounts/mail/enqueue-moderation-mail.ts'
import { hasFactors, resetFactors } from '../accounts/operator-queries.ts'
import { revokePersonalTokens } from '../accounts/personal-tokens/queries.ts'
import { turnOffFeeds } from '../accounts/private-feeds.ts'
import { findAccount } from '../accounts/queries.ts'
import { setRole, type Role, type RoleOutcome } from '../accounts/role-queries.ts'
import { listClientIds, setAppEnabled, setAppLimit, type App } from '../apps/queries.ts'
import type { Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { inTransaction } from '../db/transaction.ts'
import { setEndpointEnabledByOperator } from '../webhooks/operator-queries.ts'

/** Origin and reason of an action at the moderation desk, and the contact to whom the affected user can object. */
export type DeskAction = {
  origin: Origin
  reason: string
  contact: string
  /** Present only in `CheckedDeskAction`. */
  authorize?: undefined
}

/** An action that may undo an earlier one. The reason is then empty, and `authorize` must allow it. */
export type CheckedDeskAction = Omit<DeskAction, 'authorize'> & {
  /** Called in the transaction after its rows are locked. If it throws, nothing changes. */
  authorize?: ((trx: Database, stored?: Record<string, unknown>) => Promise<void>) | undefined
}

type AccountOutcome = 'done' | 'already' | 'missing'

/** `already`: someone else has done this before, so nothing changes. */
export type BanOutcome = AccountOutcome | 'self' | 'has_role'

/**
 * Bans an account. Like every action in this file, it has the same effect as the command, and notifies the affected
 * user in the same transaction.
 */
export function banAtDesk(
  db: Database,
  id: number,
  { origin, reason, contact }: DeskAction,
  { disablesApps }: { disablesApps: boolean },
): Promise<BanOutcome> {
  return inTransaction(db, async (trx) => {
    if (id === origin.actorId) return 'self'
    await lockAccount(trx, id)
    const account = await findAccount(trx, id)
    if (!account) return 'missing'
    // Otherwise a ban could remove the last administrator.
    if (account.role !== null) return 'has_role'
    if (account.banned_at) return 'already'
    await banAccount(trx, id, reason, origin)
    if (disablesApps)
      for (const clientId of await listClientIds(trx, id))
        await setAppEnabled(trx, clientId, false, { ...origin, reason })
    await enqueueModerationMail(trx, id, { kind: 'account_banned', note: reason, contact })
    return 'done'
  })
}

/**
 * Acts on an account and notifies its user.
 *
 * @param act returns the details of the email, or undefined if there is nothing to do
 */
function actOnAccount(
  db: Database,
  id: number,
  { reason, contact }: CheckedDeskAction,
  act: (
    trx: Database,
    account: { banned_at: Date | null },
  ) => Promise<{ kind: ModerationMailKind; what?: string } | undefined>,
): Promise<AccountOutcome> {
  return inTransaction(db, async (trx) => {
    const account = await lockAccount(trx, id)
    if (!account) return 'missing'
    const mail = await act(trx, account)
    if (!mail) return 'already'
    await enqueueModerationMail(trx, id, { ...mail, note: reason, contact })
    return 'done'
  })
}

export function unbanAtDesk(
  db: Database,
  id: number,
  action: CheckedDeskAction,
): Promise<AccountOutcome> {
  const { origin, reason, authorize } = action
  return actOnAccount(db, id, action, async (trx, account) => {
    if (!account.banned_at) return undefined
    await authorize?.(trx)
    await unbanAccount(trx, id, { ...origin, reason })
    return { kind: 'account_unbanned' }
  })
}

/** @returns `already` if the password is the only way to sign in */
export function resetFactorsAtDesk(
  db: Database,
  id: number,
  action: DeskAction,
): Promise<AccountOutcome> {
  const { origin, reason } = action
  return actOnAccount(db, id, action, async (trx) => {
    if (!(await hasFactors(trx, id))) return undefined
    await resetFactors(trx, id, { ...origin, reason })
    return { kind: 'factors_removed' }
  })
}

/**
 * Revokes one personal access token or all tokens of an account.
 *
 * @returns `already` if no such token exists
 */
export function revokeTokensAtDesk(
  db: Database,
  id: number,
  which: number | 'all',
  action: DeskAction,
): Promise<AccountOutcome> {
  const { origin, reason } = action
  return actOnAccount(db, id, action, async (trx) => {
    const names = await revokePersonalTokens(trx, id, which, { ...origin, reason })
    return names.length === 0 ? undefined : { kind: 'tokens_revoked', what: names.join(', ') }
  })
}

/** @returns `already` if the account's private feeds are off */
export function turnOffFeedsAtDesk(
  db: Database,
  id: number,
  action: DeskAction,
): Promise<AccountOutcome> {
  const { origin, reason } = action
  return actOnAccount(db, id, action, async (trx) =>
    (await turnOffFeeds(trx, id, { ...origin, reason })) ? { kind: 'feeds_removed' } : undefined,
  )
}

export function setRoleAtDesk(
  db: Database,
  id: number,
  role: Role | null,
  { origin, reason, authorize, contact }: CheckedDeskAction,
): Promise<RoleOutcome> {
  return inTransaction(db, async (trx) => {
    const result = await setRole(trx, id, role, { ...origin, reason, authorize })
    if (result.outcome === 'changed')
      await enqueueModerationMail(trx, id, { kind: 'role_changed', role, note: reason, contact })
    return result
  })
}

/** `same` if the app or its endpoint was already in that state. */
type AppOutcome =
  | {
      outcome: 'changed' | 'same'
      before: Pick<App, 'client_name' | 'account_id'>
      /** Origin of the webhook endpoint that was changed. */
      endpoint?: string
    }
  | { outcome: 'missing' }

export function setAppEnabledAtDesk(
  db: Database,
  clientId: string,
  enabled: boolean,
  action: CheckedDeskAction,
): Promise<AppOutcome> {
  return changeApp(db, { kind: enabled ? 'app_enabled' : 'app_disabled' }, action, (trx, origin) =>
    setAppEnabled(trx, clientId, enabled, origin),
  )
}

/** @param limit requests per minute; null for the default limit */
export function setAppLimitAtDesk(
  db: Database,
  clientId: string,
  limit: number | null,
  action: CheckedDeskAction,
): Promise<AppOutcome> {
  return changeApp(db, { kind: 'app_limited', limit }, action, (trx, origin) =>
    setAppLimit(trx, clientId, limit, origin),
  )
}

/** Disables or enables a webhook endpoint of an app. */
export function setEndpointEnabledAtDesk(
  db: Database,
  id: number,
  enabled: boolean,
  action: DeskAction,
): Promise<AppOutcome> {
  const kind = enabled ? 'endpoint_enabled' : 'endpoint_disabled'
  return changeApp(db, { kind }, action, (trx) =>
    setEndpointEnabledByOperator(trx, id, enabled, action),
  )
}

function changeApp(
  db: Database,
  mail:
    | { kind: 'app_enabled' | 'app_disabled' | 'endpoint_enabled' | 'endpoint_disabled' }
    | { kind: 'app_limited'; limit: number | null },
  { origin, reason, authorize, contact }: CheckedDeskAction,
  change: (
    trx: Database,
    origin: Origin & Pick<CheckedDeskAction, 'reason' | 'authorize'>,
  ) => Promise<AppOutcome>,
): Promise<AppOutcome> {
  return inTransaction(db, async (trx) => {
    const result = await change(trx, { ...origin, reason, authorize })
    if (result.outcome !== 'changed') return result
    const { before, endpoint } = result
    const details = { ...mail, what: before.client_name, endpoint, note: reason, contact }
    if (before.account_id !== null) await enqueueModerationMail(trx, before.account_id, details)
    return result
  })
}
