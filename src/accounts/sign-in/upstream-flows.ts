import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { hashToken, isToken } from '../../kernel/opaque-tokens.ts'
import type { UpstreamIdentity } from '../credentials/upstream-identity.ts'

/** Minutes in which the user must return from the provider, and then decide about an unknown identity. */
const FLOW_MINUTES = 30

/** A sign-in at a provider that is not finished. */
export type UpstreamFlow = {
  provider: string
  /** Account that connects an identity; null for a sign-in. */
  account_id: number | null
  session_uid: string | null
  interaction: string | null
  /** Invitation with whose link the sign-up began. It may have become invalid since. */
  invitation_id: number | null
  /** Whether the user must sign in at the provider again, although they may have a session there. */
  requires_sign_in: boolean
  /** Identity without an account; null while the user is at the provider. */
  identity: UpstreamIdentity | null
  created_at: Date
}

type NewFlow = Omit<UpstreamFlow, 'created_at'> & { token: string; browserHash: string }

const INSERT = statement('accounts.insert_flow').sql(`
  insert into upstream_flows
    (token_hash, provider, browser_hash, account_id, session_uid, interaction, invitation_id,
      requires_sign_in, identity, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, now() + interval '${FLOW_MINUTES} minutes')`)

/** Stores a flow. @param token identifies it; only its hash is stored */
export async function saveFlow(
  db: Database,
  { token, browserHash, identity, ...flow }: NewFlow,
): Promise<void> {
  await queryRows(db, INSERT, [
    hashToken(token),
    flow.provider,
    browserHash,
    flow.account_id,
    flow.session_uid,
    flow.interaction,
    flow.invitation_id,
    flow.requires_sign_in,
    identity && JSON.stringify(identity),
  ])
}

const COLUMNS =
  'provider, account_id, session_uid, interaction, invitation_id, requires_sign_in, identity, created_at'
const TAKE_STARTED = statement('accounts.take_started_flow').returning<UpstreamFlow>(`
  delete from upstream_flows
  where token_hash = $1 and browser_hash = $2 and provider = $3 and identity is null and expires_at > now()
  returning ${COLUMNS}`)

/**
 * Ends a flow whose user has returned from the provider.
 *
 * @returns undefined if it is unknown, finished, expired, of another provider or of another browser
 */
export async function takeStartedFlow(
  db: Database,
  { state, browserHash, provider }: { state: string; browserHash: string; provider: string },
): Promise<UpstreamFlow | undefined> {
  if (!isToken(state)) return undefined
  return queryRow(db, TAKE_STARTED, [hashToken(state), browserHash, provider])
}

/** Flow whose identity has no account so far. */
export type OpenFlow = UpstreamFlow & { identity: UpstreamIdentity }

const FIND_OPEN = statement('accounts.find_open_flow').returning<OpenFlow>(`
  select ${COLUMNS}
  from upstream_flows
  where token_hash = $1 and browser_hash = $2 and identity is not null and expires_at > now()`)

/** Finds a flow with an identity without ending it. */
export async function findOpenFlow(
  db: Database,
  token: string,
  browserHash: string,
): Promise<OpenFlow | undefined> {
  return isToken(token) ? queryRow(db, FIND_OPEN, [hashToken(token), browserHash]) : undefined
}

const DELETE = statement('accounts.delete_flow').sql(`
  delete from upstream_flows where token_hash = $1 returning token_hash`)

/** Ends a flow from `findOpenFlow`. @returns false if another request ended it */
export const endFlow = async (db: Database, token: string): Promise<boolean> =>
  (await queryRows(db, DELETE, [hashToken(token)])).length > 0
