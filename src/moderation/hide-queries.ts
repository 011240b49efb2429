import { RATING_COUNTED } from '../accounts/user-data-queries.ts'
import { enqueueModerationMail } from '../accounts/mail/enqueue-moderation-mail.ts'
import { recordEvent, UNDO_WINDOW, type Origin } from '../audit/events.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { inTransaction } from '../db/transaction.ts'
import { closeReports } from './decision-queries.ts'
import type { ReportReason } from './reasons.ts'
import { pictureSubject, type HideableSubject } from './subject-queries.ts'
import { findTakedown, findActiveTakedown, type Takedown } from './takedown-queries.ts'

/**
 * Statements that hide and restore content. One transaction makes all related changes: to the content, the totals, the
 * audit log and the email queue. It first locks the owner in `accounts` and `account_refs`, and then reads, so it sees
 * concurrent changes. A statement of user data names its account and reads no other table (decision 0039).
 */

const LOCK_OWNER = statement('moderation.lock_owner').returning<{
  picture: string | null
  /** Subject of a report about the picture. */
  pictureSubject: string | null
}>(`
  select picture, ${pictureSubject('id', 'picture')} as "pictureSubject"
  from accounts where id = $1 for no key update`)

const LOCK_REFERENCE = statement('moderation.lock_reference').returning<{ hidden: boolean }>(
  'select hidden from account_refs where id = $1 for no key update',
)

/** @returns undefined if the account does not exist */
async function lockOwner(trx: Database, ownerId: number) {
  const owner = await queryRow(trx, LOCK_OWNER, [ownerId])
  const reference = owner && (await queryRow(trx, LOCK_REFERENCE, [ownerId]))
  return reference && { ...owner, ...reference }
}

const CREATE = statement('moderation.create_takedown').returning<{ id: number }>(`
  insert into takedowns (kind, subject, owner_id, place, reason, note, previous, hidden_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (kind, subject) where restored_at is null do nothing
  returning id`)

const SET_REVIEW_HIDDEN = statement('moderation.set_review_hidden').sql(`
  with changed as (
    update ratings rating set hidden = $3
    where rating.account_id = $1 and rating.id = $2 and rating.hidden <> $3
    returning rating.account_id, rating.work_id, rating.kind, ${RATING_COUNTED} as counted
  )
  insert into rating_deltas (account_id, work_id, kind, was, becomes)
  select account_id, work_id, kind, case when $3 then counted else '{}' end, case when $3 then '{}' else counted end
  from changed
  where counted <> '{}'`)

const SET_PROFILE_WITHHELD = statement('moderation.set_profile_withheld').sql(
  'update public_profiles set is_withheld = $2 where account_id = $1',
)

const REMOVE_PICTURE = statement('moderation.remove_picture').sql(
  'update accounts set picture = null, updated_at = now() where id = $1',
)

/** An owner who has chosen another picture keeps it. */
const RESTORE_PICTURE = statement('moderation.restore_picture').sql(
  'update accounts set picture = $2, updated_at = now() where id = $1 and picture is null',
)

const RESTORE = statement('moderation.restore').returning<Pick<Takedown, 'previous'>>(`
  update takedowns
  set
    restored_at = now(), restored_by = $2::bigint,
    appeal_decided_at = case when appealed_at is not null then coalesce(appeal_decided_at, now()) end,
    appeal_decided_by = case when appealed_at is not null then coalesce(appeal_decided_by, $2::bigint) end,
    appeal_answer = coalesce(appeal_answer, nullif($3::text, ''))
  where id = $1 and restored_at is null and appeal_decided_at is not distinct from $4::timestamptz
    and (
      $3::text <> ''
      or appealed_at is null and hidden_by = $2::bigint and hidden_at > now() - interval '${UNDO_WINDOW}'
    )
  returning previous`)

export type HideReason = { reason: ReportReason; note: string }

/**
 * Hides content from everyone but its owner, within a second in every process. Closes its reports and notifies the
 * owner.
 *
 * @returns the takedown, with `already` if the content was already hidden; no takedown if the owner is gone or the
 * account no longer has a picture
 */
export async function hideSubject(
  db: Database,
  about: HideableSubject,
  { reason, note }: HideReason,
  origin: Origin,
): Promise<{ outcome: 'hidden' | 'already'; takedown: Takedown | undefined }> {
  const { kind, subject, owner_id: ownerId, place } = about
  const created = await inTransaction(db, async (trx) => {
    const owner = ownerId === null ? undefined : await lockOwner(trx, ownerId)
    if (ownerId !== null && !owner) return undefined
    if (owner && kind === 'PICTURE' && owner.pictureSubject !== subject) return undefined
    const previous = (kind === 'PICTURE' && owner?.picture) || null
    const actorId = origin.actorId ?? null
    const takedown = await queryRow(trx, CREATE, [
      kind,
      subject,
      ownerId,
      place,
      reason,
      note,
      previous,
      actorId,
    ])
    if (!takedown) return undefined
    if (ownerId !== null && kind === 'REVIEW')
      await queryRows(trx, SET_REVIEW_HIDDEN, [ownerId, Number(subject), true])
    await closeReports(trx, about, 'UPHELD', actorId)
    if (ownerId !== null && kind === 'PROFILE')
      await queryRows(trx, SET_PROFILE_WITHHELD, [ownerId, true])
    if (ownerId !== null && kind === 'PICTURE') await queryRows(trx, REMOVE_PICTURE, [ownerId])
    const details = { what: kind, subject, reason, note, takedown: takedown.id }
    const accountId = ownerId ?? undefined
    await recordEvent(trx, { kind: 'content_hidden', accountId, ...origin, details })
    if (ownerId !== null)
      await enqueueModerationMail(trx, ownerId, { kind: 'content_hidden', what: kind, note })
    return takedown
  })
  return created
    ? { outcome: 'hidden', takedown: await findTakedown(db, created.id) }
    : { outcome: 'already', takedown: await findActiveTakedown(db, about) }
}

/**
 * Restores hidden content and notifies its owner.
 *
 * @param takedown as the moderator saw it
 * @param note reason for the owner. Empty to undo a takedown, which the moderator who hid the content may do for a
 * while without a reason
 * @returns `already` if someone else has restored it, `decided` if someone else has rejected the appeal in the
 * meantime, `unexplained` if there is no takedown that may be undone without a reason
 */
export async function restoreSubject(
  db: Database,
  takedown: Takedown,
  note: string,
  { contact, ...origin }: Origin & { contact?: string },
): Promise<'restored' | 'already' | 'decided' | 'unexplained'> {
  const { id, kind, subject, owner_id: ownerId, appeal_decided_at: decidedAt } = takedown
  const isRestored = await inTransaction(db, async (trx) => {
    const owner = ownerId === null ? undefined : await lockOwner(trx, ownerId)
    const restored = await queryRow(trx, RESTORE, [id, origin.actorId ?? null, note, decidedAt])
    if (!restored) return false
    // A rating stays hidden if its account is banned or scheduled for deletion.
    if (ownerId !== null && kind === 'REVIEW' && owner?.hidden === false)
      await queryRows(trx, SET_REVIEW_HIDDEN, [ownerId, Number(subject), false])
    if (ownerId !== null && kind === 'PROFILE')
      await queryRows(trx, SET_PROFILE_WITHHELD, [ownerId, false])
    if (ownerId !== null && kind === 'PICTURE')
      await queryRows(trx, RESTORE_PICTURE, [ownerId, restored.previous])
    const details = { what: kind, subject, reason: note, takedown: id }
    const accountId = ownerId ?? undefined
    await recordEvent(trx, { kind: 'content_restored', accountId, ...origin, details })
    if (ownerId !== null) {
      const mail = { kind: 'content_restored', what: kind, note } as const
      await enqueueModerationMail(trx, ownerId, {
        ...mail,
        ...(contact !== undefined && { contact }),
      })
    }
    return true
  })
  if (isRestored) return 'restored'
  const now = await findTakedown(db, id)
  if (!now || now.restored_at !== null) return 'already'
  return now.appeal_decided_at?.getTime() === takedown.appeal_decided_at?.getTime()
    ? 'unexplained'
    : 'decided'
}
