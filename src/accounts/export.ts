import { listEvents } from '../db/audit.ts'
import type { Database } from '../db/database.ts'
import { findAccount } from './queries.ts'

/** Newer events than anybody has. */
const EVENT_LIMIT = 10_000

/**
 * Everything that is held about one person, for that person to take along: ready for JSON, in our column names, without
 * any secret or hash.
 *
 * @returns undefined when there is no such account
 */
export async function exportAccount(db: Database, id: number) {
  const profile = await findAccount(db, id)
  if (!profile) return undefined
  const { has_totp, ...account } = profile
  const [sessions, consents, passkeys, devices, apps, events] = await Promise.all([
    db
      .selectFrom('sessions')
      .select(['user_agent', 'address', 'created_at', 'last_used_at', 'expires_at'])
      .where('account_id', '=', id)
      .orderBy('created_at')
      .orderBy('id_hash')
      .execute(),
    db
      .selectFrom('consents')
      .select(['client_id', 'scopes', 'created_at', 'updated_at', 'last_used_at'])
      .where('account_id', '=', id)
      .orderBy('created_at')
      .orderBy('client_id')
      .execute(),
    db
      .selectFrom('passkeys')
      .select(['name', 'created_at', 'last_used_at'])
      .where('account_id', '=', id)
      .orderBy('created_at')
      .orderBy('credential_id')
      .execute(),
    db
      .selectFrom('known_devices')
      .select('last_used_at')
      .where('account_id', '=', id)
      .orderBy('last_used_at')
      .orderBy('device_hash')
      .execute(),
    db
      .selectFrom('apps')
      .select(['client_id', 'client_name', 'client_uri', 'redirect_uris', 'scopes', 'created_at'])
      .where('account_id', '=', id)
      .orderBy('created_at')
      .orderBy('client_id')
      .execute(),
    listEvents(db, id, { limit: EVENT_LIMIT }),
  ])
  return { account, sessions, consents, passkeys, has_totp, known_devices: devices, apps, events }
}
