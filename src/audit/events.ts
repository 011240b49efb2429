import { channel } from 'node:diagnostics_channel'
import type { Database } from '../db/database.ts'

/** Kinds of events that this version records. A log may contain others from older versions. */
export const EVENT_KINDS = [
  'sign_in',
  'sign_in_failed',
  'sign_out',
  'session_ended',
  'sign_up',
  'password_changed',
  'password_reset',
  'email_changed',
  'email_verified',
  'second_factor_added',
  'second_factor_removed',
  'recovery_codes_replaced',
  'passkey_added',
  'passkey_removed',
  'provider_connected',
  'provider_disconnected',
  'consent_given',
  'consent_withdrawn',
  'app_created',
  'app_changed',
  'app_deleted',
  'document_host_denied',
  'document_host_allowed',
  'token_created',
  'token_revoked',
  'feeds_created',
  'feeds_removed',
  'keys_rotated',
  'keys_resealed',
  'banned',
  'unbanned',
  'account_deleted',
  'role_changed',
  'sessions_ended',
  'content_hidden',
  'content_restored',
  'reports_dismissed',
  'reports_reopened',
  'appealed',
  'appeal_rejected',
  'match_accepted',
  'match_rejected',
  'match_reopened',
  'entries_merged',
  'entries_unmerged',
  'entry_field_set',
  'entry_field_unset',
  'mail_retried',
  'deletion_requested',
  'deletion_cancelled',
  'browser_trusted',
  'trust_withdrawn',
  'not_me',
  'sign_up_approved',
  'sign_up_declined',
  'invitation_created',
  'invitation_revoked',
  'announced',
  'announcement_ended',
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** Origin of a request; empty for actions by the operator. */
export type Origin = {
  address?: string | undefined
  userAgent?: string | undefined
  /** Account of the moderator or administrator who acted on another account. */
  actorId?: number | undefined
}

export type NewEvent = Origin & {
  kind: EventKind
  accountId?: number | undefined
  clientId?: string | undefined
  /** Must not contain secrets or their hashes. */
  details?: Record<string, string | number | boolean | null | string[]>
}

export type AuditEvent = {
  id: number
  at: Date
  kind: string
  client_id: string | null
  address: string | null
  user_agent: string | null
  details: Record<string, unknown>
}

/** Maximum length, in characters, of a stored user agent. Clients may send a longer one. */
export const MAX_USER_AGENT_LENGTH = 300

/** SQL interval during which a moderator can undo their own action without a reason. */
export const UNDO_WINDOW = '1 hour'

/** Channel that receives the kind of each new event. */
export const NEW_EVENTS = channel('mokuroku:event')

/** Returns a new event as a row of the audit log. */
export const eventRow = ({
  kind,
  accountId,
  clientId,
  actorId,
  address,
  userAgent,
  details = {},
}: NewEvent) => {
  NEW_EVENTS.publish(kind)
  return {
    kind,
    account_id: accountId ?? null,
    client_id: clientId ?? null,
    actor_id: actorId ?? null,
    address: address ?? null,
    user_agent: userAgent?.replaceAll('\0', '').slice(0, MAX_USER_AGENT_LENGTH) ?? null,
    details,
  }
}

/** Adds an event to the audit log. Call it in the transaction of the change. */
export const recordEvent = (db: Database, event: NewEvent): Promise<void> =>
  recordEvents(db, [event])

/** Adds several events to the audit log in one statement. */
export async function recordEvents(db: Database, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map((event) => {
    const { details, ...row } = eventRow(event)
    return { ...row, details: JSON.stringify(details) }
  })
  await db.insertInto('audit_events').values(rows).execute()
}

/** Returns an account's events, newest first. The origin is null for actions by someone else. */
export function listEvents(
  db: Database,
  accountId: number,
  { limit }: { limit: number },
): Promise<AuditEvent[]> {
  return db
    .selectFrom('audit_events')
    .select((event) => {
      // Users must not learn where moderators are.
      const isOwn = event.or([event('actor_id', 'is', null), event('actor_id', '=', accountId)])
      return [
        'id',
        'at',
        'kind',
        'client_id',
        'details',
        event.case().when(isOwn).then(event.ref('address')).end().as('address'),
        event.case().when(isOwn).then(event.ref('user_agent')).end().as('user_agent'),
      ]
    })
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Returns an account's sign-ins, newest first. */
export function listSignIns(
  db: Database,
  accountId: number,
  { limit }: { limit: number },
): Promise<Pick<AuditEvent, 'at' | 'address' | 'user_agent'>[]> {
  return db
    .selectFrom('audit_events')
    .select(['at', 'address', 'user_agent'])
    .where('account_id', '=', accountId)
    .where('kind', '=', 'sign_in')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
