import type { Database } from '../../../db/database.ts'
import { queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import { hashToken } from '../../../kernel/opaque-tokens.ts'
import type { ClaimsAccount } from '../../claims.ts'
import { REFRESH_TOKEN_REUSE_INTERVAL } from '../../lifetimes.ts'

/**
 * Statements of the two steps of the code flow. Each also reads the rows that the provider requests next
 * (`prefetched-rows.ts`).
 */

const ACCOUNT = `
  account.id, account.email, account.name, account.nickname, account.picture,
  account.email_verified_at, account.banned_at, account.deletion_requested_at,
  account.approval_requested_at,  account.updated_at`

type NullColumns<Columns> = { [Name in keyof Columns]: null }
type Joined<Columns> = Columns | NullColumns<Columns>

export type WithOwnerAndGrant = Joined<ClaimsAccount> &
  Joined<{ grant_id: string; grant_payload: string }> & { grant_expires_in: number }
export type WithSession = Joined<{ session_uid: string; session_payload: string }> & {
  session_expires_in: number
  session_use_is_due: boolean
}

/** SQL for the seconds until a time, by the clock of the database. */
export const expiresIn = (time: string) => `extract(epoch from ${time} - now())::double precision`

/** SQL condition: the use of a session was last recorded over a minute ago. */
export const USE_IS_DUE = `last_used_at < now() - interval '1 minute'`

export type StoredSession = {
  uid: string
  payload: string
  /** Seconds until it expires, by the clock of the database. */
  expires_in: number
  use_is_due: boolean
}

const GRANT = `
  allowed.id as grant_id, allowed.payload as grant_payload,
  ${expiresIn('allowed.expires_at')} as grant_expires_in`

const SESSION = statement('identity.session').returning<StoredSession & WithOwnerAndGrant>(`
  select
    session.uid, session.payload, ${expiresIn('session.expires_at')} as expires_in, session.${USE_IS_DUE} as use_is_due,
    ${GRANT},
    ${ACCOUNT}
  from sessions session
  left join accounts account on account.id = session.account_id
  left join grants allowed on allowed.id = session.payload::json #>> array['authorizations', $2, 'grantId']
  where session.id_hash = $1 and session.expires_at > now()`)

/** Returns a browser's session with its account and, for an app, the grant. */
export async function findSession(db: Database, id: string, clientId: string | null) {
  const [session] = await queryRows(db, SESSION, [hashToken(id), clientId])
  return session
}

const TOKEN = statement('identity.token').returning<StoredToken & WithOwnerAndGrant & WithSession>(`
  select
    record.id_hash, record.payload, record.consumed_at, record.superseded_at,
    record.superseded_at is null and record.consumed_at <= now() - interval '${REFRESH_TOKEN_REUSE_INTERVAL}' as is_lapsed,
    ${expiresIn('record.expires_at')} as expires_in,
    ${GRANT},
    session.uid as session_uid, session.payload as session_payload,
    ${expiresIn('session.expires_at')} as session_expires_in, session.${USE_IS_DUE} as session_use_is_due,
    ${ACCOUNT}
  from oidc_records record
  left join grants allowed on allowed.id = record.grant_id
  left join accounts account on account.id = allowed.account_id
  left join sessions session
    on session.uid = record.payload::json ->> 'sessionUid' and session.expires_at > now()
  where record.model = $1 and record.id_hash = $2 and record.expires_at > now()`)

export type StoredToken = {
  id_hash: string
  payload: string
  expires_in: number
  consumed_at: Date | null
  /** Time at which a successor of this refresh token was first used. */
  superseded_at: Date | null
  /** True if the token was first used more than a day ago and no successor was used. */
  is_lapsed: boolean | null
}

/** Returns a code or refresh token with its grant, account and session. */
export async function findToken(db: Database, model: string, idHash: string) {
  const [token] = await queryRows(db, TOKEN, [model, idHash])
  return token
}
