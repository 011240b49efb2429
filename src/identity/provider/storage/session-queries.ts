import { sql } from 'kysely'
import { inTransaction } from '../../../db/transaction.ts'
import type { Database } from '../../../db/database.ts'
import { hashToken } from '../../../kernel/opaque-tokens.ts'

/** Browsers that are signed in, or on their way to it. */

export type SessionRow = {
  uid: string
  account_id: number | null
  payload: string
  expires_at: Date
}

/** Makes a place for a new session, before what is known of it. */
export async function insertSession(db: Database, id: string, uid: string) {
  await db
    .insertInto('sessions')
    .values({
      id_hash: hashToken(id),
      uid,
      payload: '{}',
      expires_at: sql<Date>`now() + interval '1 minute'`,
    })
    .execute()
}

/**
 * Writes down what is known of a session, under another id if it has a new one; what else the row holds stays. One that
 * was ended while a request of it was answered stays ended.
 */
export async function saveSession(db: Database, id: string, { uid, ...session }: SessionRow) {
  await db
    .updateTable('sessions')
    .set({ id_hash: hashToken(id), ...session, last_used_at: sql<Date>`now()` })
    .where('uid', '=', uid)
    .execute()
}

export function findSessionByUid(db: Database, uid: string) {
  return db
    .selectFrom('sessions')
    .select(['uid', 'payload', 'last_used_at'])
    .where('uid', '=', uid)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
}

/** Takes note that a session is used, at most once a minute. */
export async function recordSessionUse(db: Database, session: { uid: string; last_used_at: Date }) {
  if (session.last_used_at.getTime() < Date.now() - 60_000)
    await db
      .updateTable('sessions')
      .set({ last_used_at: sql<Date>`now()` })
      .where('uid', '=', session.uid)
      .execute()
}

export async function deleteSession(db: Database, id: string) {
  await db.deleteFrom('sessions').where('id_hash', '=', hashToken(id)).execute()
}

/** Whether the reader has signed in anew for that interaction. */
export async function hasSignedInFor(
  db: Database,
  uid: string,
  interaction: string,
): Promise<boolean> {
  const session = await db
    .selectFrom('sessions')
    .select('uid')
    .where('uid', '=', uid)
    .where('signed_in_for', '=', hashToken(interaction))
    .executeTakeFirst()
  return session !== undefined
}

/** Where an account is signed in, the one used last first. */
export function listSessions(db: Database, accountId: number) {
  return db
    .selectFrom('sessions')
    .select(['uid', 'user_agent', 'address', 'created_at', 'last_used_at'])
    .where('account_id', '=', accountId)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('last_used_at', 'desc')
    .orderBy('uid')
    .execute()
}

/** A session that is over, and the apps its person used with it, by the names of the session that they know. */
export type EndedSession = { accountId: string; apps: { clientId: string; sid: string }[] }

/**
 * Ends sessions of an account, and the grants that were to end with them: those without offline access.
 *
 * @param which one, all but one, or all
 * @returns what has ended, for the apps that want to know (`Identity.announceSignOut`)
 */
export async function endSessions(
  db: Database,
  accountId: number,
  which: { uid: string } | { except: string } | 'all',
): Promise<EndedSession[]> {
  return inTransaction(db, async (trx) => {
    let ending = trx.deleteFrom('sessions').where('account_id', '=', accountId)
    if (which !== 'all')
      ending =
        'uid' in which
          ? ending.where('uid', '=', which.uid)
          : ending.where('uid', '<>', which.except)
    const ended = await ending.returning('payload').execute()
    const grantIds = ended.flatMap(({ payload }) => boundGrants(payload))
    if (grantIds.length > 0)
      await trx
        .deleteFrom('grants')
        .where('account_id', '=', accountId)
        .where('id', 'in', grantIds)
        .execute()
    return ended.map(({ payload }) => ({ accountId: String(accountId), apps: appsOf(payload) }))
  })
}

type Authorizations = Record<string, { sid?: string; grantId?: string; persistsLogout?: boolean }>

function authorizationsOf(payload: string): Authorizations {
  // as: the provider wrote it
  const { authorizations = {} } = JSON.parse(payload) as { authorizations?: Authorizations }
  return authorizations
}

const appsOf = (payload: string) =>
  Object.entries(authorizationsOf(payload)).flatMap(([clientId, { sid }]) =>
    sid === undefined ? [] : [{ clientId, sid }],
  )

/** The grants of a session's payload that do not outlive it. */
function boundGrants(payload: string): string[] {
  return Object.values(authorizationsOf(payload)).flatMap(({ grantId, persistsLogout }) =>
    grantId && !persistsLogout ? [grantId] : [],
  )
}
