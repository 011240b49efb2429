import { recordEvent, type Origin } from '../audit/events.ts'
import { enqueueModerationMail } from '../accounts/mail/moderation-mail.ts'
import { hideRecord } from '../accounts/reader-data-queries.ts'
import { queryRows } from '../db/query.ts'
import type { Database } from '../db/database.ts'
import { inTransaction } from '../db/transaction.ts'
import type { ReportReason, SubjectKind } from './reasons.ts'
import { closeReports } from './report-queries.ts'
import type { Subject } from './subject-queries.ts'

/** What moderators have hidden, or had. */
export type Takedown = Subject & {
  id: number
  owner_name: string | null
  reason: ReportReason
  /** What its owner is told. */
  note: string
  previous: string | null
  hidden_at: Date
  hidden_by: number | null
  hidden_by_name: string | null
  appeal: string | null
  appealed_at: Date | null
  appeal_decided_at: Date | null
  appeal_answer: string | null
  restored_at: Date | null
}

const TAKEDOWN = `
  select
    takedown.id, takedown.kind, takedown.subject, takedown.owner_id, takedown.place, takedown.reason, takedown.note,
    takedown.previous, takedown.hidden_at, takedown.hidden_by, takedown.appeal, takedown.appealed_at,
    takedown.appeal_decided_at, takedown.appeal_answer, takedown.restored_at,
    owner.name as owner_name, moderator.name as hidden_by_name
  from takedowns takedown
  left join accounts owner on owner.id = takedown.owner_id
  left join accounts moderator on moderator.id = takedown.hidden_by`

const FIND = `${TAKEDOWN} where takedown.id = $1`
const FIND_OF = `${TAKEDOWN} where takedown.kind = $1 and takedown.subject = $2 and takedown.restored_at is null`
const LIST_OWN = `${TAKEDOWN} where takedown.owner_id = $1 order by takedown.id desc limit 100`
const OPEN_APPEAL =
  'takedown.appealed_at is not null and takedown.appeal_decided_at is null and takedown.restored_at is null'
const LIST_APPEALS = `${TAKEDOWN} where ${OPEN_APPEAL} order by takedown.appealed_at, takedown.id limit 100`
const LIST_ALL = `${TAKEDOWN} where takedown.id < $1 order by takedown.id desc limit $2`

export async function findTakedown(db: Database, id: number): Promise<Takedown | undefined> {
  const [found] = await queryRows<Takedown>(db, FIND, [id])
  return found
}

/** The one that hides a thing now. */
export async function findTakedownOf(
  db: Database,
  { kind, subject }: { kind: SubjectKind; subject: string },
): Promise<Takedown | undefined> {
  const [found] = await queryRows<Takedown>(db, FIND_OF, [kind, subject])
  return found
}

/** What of a reader's was hidden, the last first. */
export const listOwnTakedowns = (db: Database, accountId: number): Promise<Takedown[]> =>
  queryRows<Takedown>(db, LIST_OWN, [accountId])

/** What their owners object to, who has waited longest first. */
export const listAppeals = (db: Database): Promise<Takedown[]> => queryRows<Takedown>(db, LIST_APPEALS, [])

/** All of them, the last first. @param before an id; of the page before it the last */
export const listTakedowns = (
  db: Database,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number | undefined; limit: number },
): Promise<Takedown[]> => queryRows<Takedown>(db, LIST_ALL, [before, limit])

const HOLD_OWNER = 'select id from accounts where id = $1 for no key update'

const INSERT = `
  insert into takedowns (kind, subject, owner_id, place, reason, note, previous, hidden_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (kind, subject) where restored_at is null do nothing
  returning id`

const TAKE_PICTURE = `
  update accounts account set picture = null, updated_at = now()
  from (select id, picture from accounts where id = $1) before
  where account.id = before.id
  returning before.picture`
const GIVE_PICTURE = 'update accounts set picture = $2, updated_at = now() where id = $1 and picture is null'
const WITHHOLD_PROFILE = 'update public_profiles set is_withheld = $2 where account_id = $1'

/** Somebody else has hidden it at the same moment. */
class HiddenAlready extends Error {}

export type HideReason = { reason: ReportReason; note: string }

/**
 * Hides a thing from everybody but its owner, in every process within a second, closes what is reported of it, and tells
 * its owner.
 *
 * @returns the takedown; `already` when it is hidden, by whoever else at once
 */
export async function hideSubject(
  db: Database,
  about: Subject,
  { reason, note }: HideReason,
  from: Origin,
): Promise<{ outcome: 'hidden' | 'already'; takedown: Takedown | undefined }> {
  try {
    const id = await inTransaction(db, async (trx) => {
      const { kind, subject, owner_id: ownerId, place } = about
      if (ownerId !== null) await queryRows(trx, HOLD_OWNER, [ownerId])
      const previous = await applyTakedown(trx, about, true, null)
      // Last of what many wait for: it signals, and who signals holds up all others who do.
      const values = [kind, subject, ownerId, place, reason, note, previous, from.actorId ?? null]
      const [created] = await queryRows<{ id: number }>(trx, INSERT, values)
      if (!created) throw new HiddenAlready()
      await closeReports(trx, about, 'UPHELD', from.actorId)
      await recordEvent(trx, {
        kind: 'content_hidden',
        accountId: ownerId ?? undefined,
        ...from,
        details: { what: kind, subject, takedown: created.id, reason, note },
      })
      if (ownerId !== null)
        await enqueueModerationMail(trx, ownerId, { kind: 'content_hidden', what: kind, note })
      return created.id
    })
    return { outcome: 'hidden', takedown: await findTakedown(db, id) }
  } catch (error) {
    if (!(error instanceof HiddenAlready)) throw error
    return { outcome: 'already', takedown: await findTakedownOf(db, about) }
  }
}

/** Makes it so. @returns of an account's picture its address before */
async function applyTakedown(
  trx: Database,
  { kind, subject, owner_id: ownerId }: Subject,
  hidden: boolean,
  previous: string | null,
): Promise<string | null> {
  if (ownerId === null) return null
  if (kind === 'REVIEW') await hideRecord(trx, ownerId, Number(subject), hidden)
  if (kind === 'PROFILE') await queryRows(trx, WITHHOLD_PROFILE, [ownerId, hidden])
  if (kind !== 'PICTURE') return null
  if (!hidden) {
    await queryRows(trx, GIVE_PICTURE, [ownerId, previous])
    return null
  }
  const [taken] = await queryRows<{ picture: string | null }>(trx, TAKE_PICTURE, [ownerId])
  return taken?.picture ?? null
}

const RESTORE = `
  update takedowns
  set
    restored_at = now(), restored_by = $2,
    appeal_decided_at = case when appealed_at is not null then coalesce(appeal_decided_at, now()) end,
    appeal_decided_by = case when appealed_at is not null then coalesce(appeal_decided_by, $2) end,
    appeal_answer = coalesce(appeal_answer, $3)
  where id = $1 and restored_at is null
  returning id`

/** Shows what was hidden again, and tells its owner. @param note empty: hiding it is taken back. @returns false when it is restored already */
export function restoreSubject(
  db: Database,
  takedown: Takedown,
  note: string,
  { contact, ...from }: Origin & { contact?: string },
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const { id, kind, subject, owner_id: ownerId, previous } = takedown
    if (ownerId !== null) await queryRows(trx, HOLD_OWNER, [ownerId])
    const restored = await queryRows(trx, RESTORE, [id, from.actorId ?? null, note === '' ? null : note])
    if (restored.length === 0) return false
    await applyTakedown(trx, takedown, false, previous)
    await recordEvent(trx, {
      kind: 'content_restored',
      accountId: ownerId ?? undefined,
      ...from,
      details: { what: kind, subject, takedown: id, reason: note },
    })
    if (ownerId !== null)
      await enqueueModerationMail(trx, ownerId, {
        kind: 'content_restored',
        what: kind,
        note,
        ...(contact !== undefined && { contact }),
      })
    return true
  })
}
