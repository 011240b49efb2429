import { mailLanguage } from '../accounts/mail/mail-language-queries.ts'
import { RATING_COUNTED } from '../accounts/user-data-queries.ts'
import type { ModerationDetails } from '../accounts/mail/compose-moderation-mail.ts'
import { eventRow, UNDO_WINDOW, type NewEvent, type Origin } from '../audit/events.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import type { ReportReason } from './reasons.ts'
import { pictureSubject, type HideableSubject } from './subject-queries.ts'
import { findTakedown, findActiveTakedown, type Takedown } from './takedown-queries.ts'

/**
 * Statements that hide and restore content. Each statement makes all related changes: to the content, the totals, the
 * audit log and the email queue. The owner's row stays locked only for that statement, so that a slow or dying process
 * blocks none of the owner's writes. The statement reads the row under the lock and sees concurrent changes.
 */

/** SQL that locks and reads the owner before any other row. Accounts are locked before ratings. */
const lockOwner = (parameter: string) => `
  owner as materialized (
    select
      account.id, account.email, account.picture, ${mailLanguage('account.id', 'preferences.language')} as language,
      not reference.hidden as is_here
    from accounts account
    join account_refs reference on reference.id = account.id
    left join reader_preferences preferences on preferences.account_id = account.id
    where account.id = ${parameter}::bigint
    for no key update of account, reference
  )`

/** SQL that records how the hidden or restored ratings change the totals. */
const deltas = (was: string, becomes: string) => `
  deltas as (
    insert into rating_deltas (account_id, work_id, kind, was, becomes)
    select account_id, work_id, kind, ${was}, ${becomes} from changed where counted <> '{}'
  )`

/**
 * SQL that writes the event and the email of an action, both given as JSON. `act` contains a row with the takedown's id
 * if the action was performed.
 */
const eventAndMail = (actionSql: string, event: string, mail: string) => `
  event as (
    insert into audit_events (kind, account_id, actor_id, address, user_agent, details)
    select
      event.kind, event.account_id, event.actor_id, event.address, event.user_agent,
      event.details || jsonb_build_object('takedown', ${actionSql}.id)
    from ${actionSql}
    cross join jsonb_to_record(${event}::jsonb) event (
      kind text, account_id bigint, actor_id bigint, address text, user_agent text, details jsonb
    )
  ), mail as (
    insert into mails (kind, email, language, details)
    select mail.kind, owner.email, owner.language, mail.details
    from ${actionSql}
    cross join owner
    cross join jsonb_to_record(${mail}::jsonb) mail (kind text, details jsonb)
  )`

/**
 * Hides content of the owner `$3`; `$4` is the id of a rating. If two moderators hide the same content at once, the
 * second statement does nothing. If the owner has replaced a reported picture, neither the old nor the new picture is
 * hidden.
 */
const HIDE = statement('moderation.hide').returning<{ id: number }>(`
  with ${lockOwner('$3')}, created as (
    insert into takedowns (kind, subject, owner_id, place, reason, note, previous, hidden_by)
    select
      $1::text, $2::text, $3::bigint, $5::text, $6::text, $7::text, case when $1::text = 'PICTURE' then held.picture end, $8::bigint
    from (select count(*) as amount, max(picture) as picture from owner) held
    where $3::bigint is null
      or held.amount = 1 and ($1::text <> 'PICTURE' or $2::text = ${pictureSubject('$3::bigint', 'held.picture')})
    on conflict (kind, subject) where restored_at is null do nothing
    returning id
  ), changed as (
    update ratings rating set hidden = true
    from created
    where rating.account_id = $3::bigint and rating.id = $4::bigint and not rating.hidden
    returning rating.account_id, rating.work_id, rating.kind, ${RATING_COUNTED} as counted
  ), ${deltas('counted', `'{}'`)}, withheld as (
    update public_profiles profile set is_withheld = true
    from created
    where $1::text = 'PROFILE' and profile.account_id = $3::bigint
  ), taken as (
    update accounts account set picture = null, updated_at = now()
    from created
    where $1::text = 'PICTURE' and account.id = $3::bigint
  ), closed as (
    update reports report set state = 'UPHELD', decided_at = now(), decided_by = $8::bigint
    from created
    where report.kind = $1::text and report.subject = $2::text and report.state = 'OPEN'
  ), ${eventAndMail('created', '$9', '$10')}
  select id from created`)

/**
 * Restores content. A rating stays hidden if its account is banned or scheduled for deletion. A picture is restored
 * unless the account has a new one.
 */
const RESTORE = statement('moderation.restore').sql(`
  with ${lockOwner('$2')}, restored as (
    update takedowns takedown
    set
      restored_at = now(), restored_by = $4::bigint,
      appeal_decided_at = case when appealed_at is not null then coalesce(appeal_decided_at, now()) end,
      appeal_decided_by = case when appealed_at is not null then coalesce(appeal_decided_by, $4::bigint) end,
      appeal_answer = coalesce(appeal_answer, nullif($5::text, ''))
    from (select count(*) from owner) held
    where takedown.id = $1::bigint and takedown.restored_at is null
      and takedown.appeal_decided_at is not distinct from $8::timestamptz
      and (
        $5::text <> ''
        or takedown.appealed_at is null and takedown.hidden_by = $4::bigint
          and takedown.hidden_at > now() - interval '${UNDO_WINDOW}'
      )
    returning takedown.id, takedown.kind, takedown.previous
  ), changed as (
    update ratings rating set hidden = false
    from restored, owner
    where owner.is_here and rating.account_id = owner.id and rating.id = $3::bigint and rating.hidden
    returning rating.account_id, rating.work_id, rating.kind, ${RATING_COUNTED} as counted
  ), ${deltas(`'{}'`, 'counted')}, shown as (
    update public_profiles profile set is_withheld = false
    from restored
    where restored.kind = 'PROFILE' and profile.account_id = $2::bigint
  ), given as (
    update accounts account set picture = restored.previous, updated_at = now()
    from restored
    where restored.kind = 'PICTURE' and account.id = $2::bigint and account.picture is null
  ), ${eventAndMail('restored', '$6', '$7')}
  select id from restored`)

const recordOf = ({ kind, subject }: HideableSubject) =>
  kind === 'REVIEW' ? Number(subject) : null
const eventJson = (event: NewEvent) => JSON.stringify(eventRow(event))
const mailJson = (kind: 'content_hidden' | 'content_restored', details: ModerationDetails) =>
  JSON.stringify({ kind, details })

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
  const details = { what: kind, subject, reason, note }
  const created = await queryRow(db, HIDE, [
    kind,
    subject,
    ownerId,
    recordOf(about),
    place,
    reason,
    note,
    origin.actorId ?? null,
    eventJson({ kind: 'content_hidden', accountId: ownerId ?? undefined, ...origin, details }),
    mailJson('content_hidden', { what: kind, note }),
  ])
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
  const { id, kind, subject, owner_id: ownerId } = takedown
  const details = { what: kind, subject, reason: note }
  const restored = await queryRows(db, RESTORE, [
    id,
    ownerId,
    recordOf(takedown),
    origin.actorId ?? null,
    note,
    eventJson({ kind: 'content_restored', accountId: ownerId ?? undefined, ...origin, details }),
    mailJson('content_restored', { what: kind, note, ...(contact !== undefined && { contact }) }),
    takedown.appeal_decided_at,
  ])
  if (restored.length > 0) return 'restored'
  const now = await findTakedown(db, id)
  if (!now || now.restored_at !== null) return 'already'
  return now.appeal_decided_at?.getTime() === takedown.appeal_decided_at?.getTime()
    ? 'unexplained'
    : 'decided'
}
