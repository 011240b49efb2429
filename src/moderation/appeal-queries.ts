import { recordEvent, type Origin } from '../audit/events.ts'
import { enqueueModerationMail } from '../accounts/mail/enqueue-moderation-mail.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Takedown } from './takedown-queries.ts'

const APPEAL = statement('moderation.appeal').returning<{ kind: string; subject: string }>(`
  update takedowns set appeal = $3, appealed_at = now()
  where id = $2 and owner_id = $1 and appealed_at is null and restored_at is null
  returning kind, subject`)

/**
 * Appeals a takedown. The owner can do this once per takedown.
 *
 * @returns false if the account cannot appeal it or already has
 */
export function appealTakedown(
  db: Database,
  accountId: number,
  id: number,
  note: string,
  origin: Origin,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const appealed = await queryRow(trx, APPEAL, [accountId, id, note])
    if (!appealed) return false
    const { kind, subject } = appealed
    await recordEvent(trx, {
      kind: 'appealed',
      accountId,
      ...origin,
      details: { what: kind, subject, takedown: id },
    })
    return true
  })
}

const OTHERS = statement('moderation.others').sql(`
  select from accounts
  where role is not null and banned_at is null and deletion_requested_at is null and id <> $1
  limit 1`)

/**
 * Whether a moderator may decide an appeal. The moderator who hid the content may not, unless they are the only one.
 */
export async function canDecideAppeal(
  db: Database,
  { hidden_by: hiddenBy }: Pick<Takedown, 'hidden_by'>,
  actorId: number,
): Promise<boolean> {
  if (hiddenBy !== actorId) return true
  const others = await queryRows(db, OTHERS, [actorId])
  return others.length === 0
}

const REJECT = statement('moderation.reject').sql(`
  update takedowns set appeal_decided_at = now(), appeal_decided_by = $2, appeal_answer = $3
  where id = $1 and appealed_at is not null and appeal_decided_at is null and restored_at is null
  returning id`)

/**
 * Rejects an appeal and notifies the owner of the reason.
 *
 * @returns false if it has already been decided
 */
export function rejectAppeal(
  db: Database,
  { id, kind, subject, owner_id: ownerId }: Takedown,
  answer: string,
  { contact, ...origin }: Origin & { contact?: string },
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const rejected = await queryRows(trx, REJECT, [id, origin.actorId ?? null, answer])
    if (rejected.length === 0) return false
    await recordEvent(trx, {
      kind: 'appeal_rejected',
      accountId: ownerId ?? undefined,
      ...origin,
      details: { what: kind, subject, takedown: id, reason: answer },
    })
    if (ownerId !== null)
      await enqueueModerationMail(trx, ownerId, {
        kind: 'appeal_rejected',
        what: kind,
        note: answer,
        ...(contact !== undefined && { contact }),
      })
    return true
  })
}
