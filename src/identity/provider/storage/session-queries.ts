import { sql, type Insertable } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { Database } from '../../../db/database.ts'
import { secondsFromNow } from '../../../db/seconds-from-now.ts'
import { hashToken } from '../../../kernel/opaque-tokens.ts'
import { expiresIn, USE_IS_DUE, type StoredSession } from './flow-queries.ts'

/** Inserts an empty session. */
export async function insertSession(db: Database, id: string, uid: string) {
  await db
    .insertInto('sessions')
    .values({ id_hash: hashToken(id), uid, payload: '{}', expires_at: secondsFromNow(60) })
    .execute()
}

/** Updates a session, whose id may be new. Does not restore one that ended in the meantime. */
export async function saveSession(
  db: Database,
  id: string,
  {
    uid,
    expiresIn: seconds,
    ...session
  }: Omit<Insertable<Tables['sessions']>, 'id_hash' | 'expires_at'> & { expiresIn: number },
) {
  await db
    .updateTable('sessions')
    .set({
      id_hash: hashToken(id),
      ...session,
      expires_at: secondsFromNow(seconds),
      last_used_at: sql<Date>`now()`,
    })
    .where('uid', '=', uid)
    .execute()
}

export function findSessionByUid(db: Database, uid: string) {
  return db
    .selectFrom('sessions')
    .select([
      'uid',
      'payload',
      sql<number>`${sql.raw(expiresIn('expires_at'))}`.as('expires_in'),
      sql<boolean>`${sql.raw(USE_IS_DUE)}`.as('use_is_due'),
    ])
    .where('uid', '=', uid)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
}

/** Records, at most once a minute, that a session is in use. */
export async function recordSessionUse(
  db: Database,
  session: Pick<StoredSession, 'uid' | 'use_is_due'>,
) {
  if (session.use_is_due)
    await db
      .updateTable('sessions')
      .set({ last_used_at: sql<Date>`now()` })
      .where('uid', '=', session.uid)
      .execute()
}

export async function deleteSession(db: Database, id: string) {
  await db.deleteFrom('sessions').where('id_hash', '=', hashToken(id)).execute()
}

/** Whether the user has signed in again for this interaction. */
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

/** Returns an account's sessions, most recently used first. */
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

/** An ended session with the apps that used it, and its `sid` for each of them. */
export type EndedSession = { accountId: string; apps: { clientId: string; sid: string }[] }

/**
 * Ends sessions of an account, and their grants without offline access.
 *
 * @param which one session, all but one, or all
 * @returns the ended sessions, for `Identity.notifyAppsOfSignOut`
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
  // as: the provider stored this payload
  const { authorizations = {} } = JSON.parse(payload) as { authorizations?: Authorizations }
  return authorizations
}

const appsOf = (payload: string) =>
  Object.entries(authorizationsOf(payload)).flatMap(([clientId, { sid }]) =>
    sid === undefined ? [] : [{ clientId, sid }],
  )

/** Returns the grants that end with the session. */
function boundGrants(payload: string): string[] {
  return Object.values(authorizationsOf(payload)).flatMap(({ grantId, persistsLogout }) =>
    grantId && !persistsLogout ? [grantId] : [],
  )
}
