import type { ColumnType, Generated } from 'kysely'

type Timestamp = Generated<Date>
/** jsonb: read as a value, written as JSON text. */
type Json<Value> = ColumnType<Value, string | undefined, string>

/**
 * Tables that are asked through the query builder. The catalog's are not among them: its answers are built by
 * PostgreSQL in wire shape (`catalog/`), and written set by set (`importers/`).
 */
export type Tables = {
  accounts: {
    id: Generated<number>
    email: string
    password_hash: string
    name: string
    created_at: Timestamp
    updated_at: Timestamp
  }
  apps: {
    client_id: string
    account_id: number | null
    client_name: string
    client_uri: string | null
    client_type: Generated<'confidential' | 'public'>
    application_type: Generated<'web' | 'native'>
    token_endpoint_auth_method: Generated<'client_secret_basic' | 'client_secret_post' | 'none'>
    redirect_uris: Json<string[]>
    scopes: Json<string[]>
    secret_hash: string | null
    enabled: Generated<boolean>
    requests_per_minute: number | null
    created_at: Timestamp
    updated_at: Timestamp
  }
  change_signals: { topic: string; revision: Generated<number> }
  installation: { name: string; value: Json<unknown> }
  migrations: { name: string; hash: string; applied_at: Timestamp }
  signing_keys: {
    kid: string
    alg: 'ES256' | 'RS256'
    private_jwk: string
    created_at: Timestamp
    signs_from: Timestamp
    retired_at: Date | null
  }
}
