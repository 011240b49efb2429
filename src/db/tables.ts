import type { ColumnType, Generated, Selectable } from 'kysely'
import type { DescribedTables } from './described.ts'

/** A jsonb column: read as a value, written as JSON text. */
type Json<Value> = ColumnType<Value, string | undefined, string>

/** Columns with narrower types than PostgreSQL reports. */
type NarrowedColumns = {
  accounts: { role: 'MODERATOR' | 'ADMIN' | null }
  audit_events: { details: ColumnType<Record<string, unknown>, string | undefined, never> }
  apps: {
    client_type: Generated<'confidential' | 'public'>
    application_type: Generated<'web' | 'native'>
    token_endpoint_auth_method: Generated<'client_secret_basic' | 'client_secret_post' | 'none'>
    redirect_uris: Json<string[]>
    scopes: Json<string[]>
    required_scopes: Json<string[]>
    grant_types: ColumnType<string[] | null, string | null | undefined, string | null>
  }
  collection_items: { last_put: 'ADDED' | 'CHANGED' | 'UNCHANGED' }
  consents: { scopes: Json<string[]>; withheld: Json<string[]> }
  // `since` has a default and is never written as null.
  links: {
    purpose: 'sign_up' | 'reset_password' | 'change_email' | 'not_me'
    since: Generated<Date>
  }
  mails: { details: ColumnType<Record<string, unknown>, string | undefined, never> }
  progress: {
    rereads: Json<{ started_on: string | null; finished_on: string | null }[]>
    labels: Json<string[]>
  }
  passkey_challenges: { purpose: 'register' | 'sign_in' }
  passkeys: { transports: Json<string[]> }
  personal_tokens: { scopes: Json<string[]> }
  webhook_endpoints: {
    events: Json<string[]>
    disabled_because: 'owner' | 'operator' | 'gone' | 'failing' | null
  }
  withdrawals: { kind: 'grant' | 'app' | 'token' }
  signing_keys: { alg: 'ES256' | 'RS256' }
}

/** All tables and views, for the query builder. */
export type Tables = {
  [Name in keyof DescribedTables]: Name extends keyof NarrowedColumns
    ? Omit<DescribedTables[Name], keyof NarrowedColumns[Name]> & NarrowedColumns[Name]
    : DescribedTables[Name]
}

/** A row as read from a table. */
export type TableRow<Table extends keyof Tables> = Selectable<Tables[Table]>
