import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { logoUrlOf } from './app-response.ts'

/** Facts about an app for the consent page. */
export type AppCard = {
  name: string
  /** A path of this service, because the consent page loads nothing from other sites. */
  logo: string | null
  homepage: string | null
  privacy: string | null
  terms: string | null
  /** Null for the operator's own apps. */
  developer: { name: string; since: Date } | null
  /** Null for an app that no user has allowed yet. */
  createdAt: Date | null
  /** Number of accounts that have authorized it. */
  readers: number
  /** Host that describes an app without registration; null for registered apps. */
  documentHost: string | null
}

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
      'document_host',
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
    documentHost: row.document_host,
  }
}
