import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { logoUrlOf } from './app-response.ts'

/** What a reader may know of an app before allowing it something. */
export type AppCard = {
  name: string
  /** A path of this service: no address of another site is loaded before the reader has decided. */
  logo: string | null
  homepage: string | null
  privacy: string | null
  terms: string | null
  /** Null: the operator's own app. */
  developer: { name: string; since: Date } | null
  createdAt: Date
  /** Accounts that have allowed it. */
  readers: number
}

/** @returns undefined when there is no such app */
export async function findAppCard(db: Database, clientId: string): Promise<AppCard | undefined> {
  const row = await db
    .selectFrom('apps')
    .leftJoin('accounts', 'accounts.id', 'apps.account_id')
    .select([
      'client_name',
      'logo_hash',
      'client_uri',
      'privacy_uri',
      'terms_uri',
      'apps.created_at',
      'accounts.created_at as developer_since',
      sql<string | null>`coalesce(accounts.nickname, accounts.name)`.as('developer_name'),
      sql<number>`(select count(*)::integer from consents where consents.client_id = apps.client_id)`.as(
        'readers',
      ),
    ])
    .where('apps.client_id', '=', clientId)
    .executeTakeFirst()
  if (!row) return undefined
  const { developer_name: name, developer_since: since } = row
  return {
    name: row.client_name,
    logo: logoUrlOf({ logo: null, logo_hash: row.logo_hash }),
    homepage: row.client_uri,
    privacy: row.privacy_uri,
    terms: row.terms_uri,
    developer: name === null || since === null ? null : { name, since },
    createdAt: row.created_at,
    readers: row.readers,
  }
}
