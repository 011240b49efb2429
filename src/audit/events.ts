import type { Database } from '../db/database.ts'

/** What is recorded by this version; a log may hold older kinds. */
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
  'consent_given',
  'consent_withdrawn',
  'app_created',
  'app_changed',
  'app_deleted',
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
] as const
type EventKind = (typeof EVENT_KINDS)[number]

/** Where a request came from; absent for what the operator does. */
export type Origin = {
  address?: string | undefined
  userAgent?: string | undefined
  /** Who did it to an account of somebody else. */
  actorId?: number | undefined
}

export type NewEvent = Origin & {
  kind: EventKind
  accountId?: number | undefined
  clientId?: string | undefined
  /** Never a secret, nor the hash of one. */
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

/** A browser's name for itself may be of any length. */
export const MAX_USER_AGENT_LENGTH = 300

/** For how long what somebody at the desk has done may be taken back without another reason than that; an interval of SQL. */
export const UNDO_WINDOW = '1 hour'

/** An entry of the audit log as it is stored. */
export const eventRow = ({
  kind,
  accountId,
  clientId,
  actorId,
  address,
  userAgent,
  details = {},
}: NewEvent) => ({
  kind,
  account_id: accountId ?? null,
  client_id: clientId ?? null,
  actor_id: actorId ?? null,
  address: address ?? null,
  user_agent: userAgent?.replaceAll('\0', '').slice(0, MAX_USER_AGENT_LENGTH) ?? null,
  details,
})

/** Adds an entry to the audit log; called in the transaction that does what it records. */
export async function recordEvent(db: Database, event: NewEvent): Promise<void> {
  const { details, ...row } = eventRow(event)
  await db
    .insertInto('audit_events')
    .values({ ...row, details: JSON.stringify(details) })
    .execute()
}

/** What happened to an account, newest first; of what somebody else did to it not from where. */
export function listEvents(
  db: Database,
  accountId: number,
  { limit }: { limit: number },
): Promise<AuditEvent[]> {
  return db
    .selectFrom('audit_events')
    .select((event) => {
      // Who looks after the service does not show those concerned where they sit.
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

/** When, where and with what an account was signed in to, newest first. */
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
