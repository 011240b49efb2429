import { recordEvent, type Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { inTransaction } from '../db/transaction.ts'
import { findAccount, type Account } from './queries.ts'

/** Moderators decide on reports; admins may do everything. */
export const ROLES = ['MODERATOR', 'ADMIN'] as const
export type Role = (typeof ROLES)[number]

/** Lists the ids of the administrators who may sign in. */
export async function listAdministrators(db: Database): Promise<number[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('role', '=', 'ADMIN')
    .where('banned_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Throws if the change to the stored role is refused. Runs in the same transaction. */
type Authorize = (trx: Database, stored: { role: Role | null }) => Promise<void>

export type RoleOutcome =
  | { outcome: 'changed' | 'same'; account: Account; before: Role | null }
  /** At least one administrator must remain. */
  | { outcome: 'last_admin' }
  /** The account waits for approval. */
  | { outcome: 'waiting' }
  | { outcome: 'missing' }

/**
 * Grants or removes an account's role. All administrators are locked, in order, so that the last one keeps the role
 * even if several requests arrive at once.
 *
 * @param origin `authorize` is called while they are locked; its errors are thrown
 */
export function setRole(
  db: Database,
  id: number,
  role: Role | null,
  {
    reason,
    authorize,
    ...origin
  }: Origin & { reason?: string; authorize?: Authorize | undefined } = {},
): Promise<RoleOutcome> {
  return inTransaction(db, async (trx) => {
    const locked = await trx
      .selectFrom('accounts')
      .select(['id', 'role', 'banned_at', 'approval_requested_at'])
      .where((where) => where.or([where('role', '=', 'ADMIN'), where('id', '=', id)]))
      .orderBy('id')
      .forNoKeyUpdate()
      .execute()
    const target = locked.find((account) => account.id === id)
    if (!target) return { outcome: 'missing' }
    if (target.approval_requested_at && role !== null) return { outcome: 'waiting' }
    const others = locked.filter(
      (other) => other.id !== id && other.role === 'ADMIN' && !other.banned_at,
    )
    if (target.role === 'ADMIN' && role !== 'ADMIN' && others.length === 0)
      return { outcome: 'last_admin' }
    const isSame = target.role === role
    if (!isSame) {
      await authorize?.(trx, { role: target.role })
      await trx.updateTable('accounts').set({ role }).where('id', '=', id).execute()
      await recordEvent(trx, {
        kind: 'role_changed',
        accountId: id,
        details: { role, before: target.role, ...(reason !== undefined && { reason }) },
        ...origin,
      })
    }
    const account = await findAccount(trx, id)
    if (!account) return { outcome: 'missing' }
    return { outcome: isSame ? 'same' : 'changed', account, before: target.role }
  })
}
