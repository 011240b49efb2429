import type { ColumnType, Generated, Selectable } from 'kysely'

type Timestamp = Generated<Date>
/** jsonb: read as a value, written as JSON text. */
type Json<Value> = ColumnType<Value, string | undefined, string>

/**
 * Tables that the query builder is used for. The catalog's are not among them: its answers are built by
 * PostgreSQL in wire shape (`catalog/`), and written set by set (`importers/`).
 */
export type Tables = {
  accounts: {
    id: Generated<number>
    email: string
    password_hash: string
    name: string
    nickname: string | null
    picture: string | null
    bio: Generated<string>
    email_verified_at: Date | null
    banned_at: Date | null
    ban_reason: string | null
    totp_secret: string | null
    totp_last_step: Generated<number>
    /** Null as well where it was not kept when. */
    totp_added_at: Date | null
    role: 'MODERATOR' | 'ADMIN' | null
    deletion_requested_at: Date | null
    created_at: Timestamp
    updated_at: Timestamp
  }
  attempts: { key: string; tries: number; last_try_at: Timestamp; blocked_until: Date | null }
  app_usage: {
    client_id: string
    /** `2026-11-21`, UTC. */
    day: string
    requests: number
    rate_limited: number
    errors: number
    tokens: number
  }
  audit_events: {
    id: Generated<number>
    at: Timestamp
    kind: string
    account_id: number | null
    client_id: string | null
    address: string | null
    user_agent: string | null
    details: ColumnType<Record<string, unknown>, string | undefined, never>
    actor_id: number | null
  }
  apps: {
    client_id: string
    account_id: number | null
    client_name: string
    client_uri: string | null
    logo: string | null
    client_type: Generated<'confidential' | 'public'>
    application_type: Generated<'web' | 'native'>
    token_endpoint_auth_method: Generated<'client_secret_basic' | 'client_secret_post' | 'none'>
    redirect_uris: Json<string[]>
    scopes: Json<string[]>
    grant_types: ColumnType<string[] | null, string | null | undefined, string | null>
    blocked_at: Date | null
    secret_hash: string | null
    enabled: Generated<boolean>
    requests_per_minute: number | null
    required_scopes: Json<string[]>
    secret_generation: Generated<number>
    oldest_secret_generation: Generated<number>
    logo_hash: string | null
    privacy_uri: string | null
    terms_uri: string | null
    /** The secret before, good until its end. */
    previous_secret_hash: string | null
    previous_secret_expires_at: Date | null
    tokens_checked_until: Date | null
    /** Of the form of the console that made it. */
    form_key_hash: string | null
    backchannel_logout_uri: string | null
    backchannel_logout_session_required: Generated<boolean>
    created_at: Timestamp
    updated_at: Timestamp
  }
  collections: {
    account_id: number
    id: Generated<number>
    name: string
    description: Generated<string>
    is_private: Generated<boolean>
    is_default: Generated<boolean>
    /** Written by the statements that put works in and take them out. */
    item_count: Generated<number>
    created_at: Timestamp
    updated_at: Timestamp
  }
  collection_items: {
    account_id: number
    collection_id: number
    work_id: number
    note: Generated<string>
    /** Null while nobody has ordered the collection. */
    position: number | null
    last_put: 'ADDED' | 'CHANGED' | 'UNCHANGED'
    id: Generated<number>
    added_at: Timestamp
    updated_at: Timestamp
  }
  consents: {
    account_id: number
    client_id: string
    scopes: Json<string[]>
    /** Of what it asked for, what the reader has unticked. */
    withheld: Json<string[]>
    created_at: Timestamp
    updated_at: Timestamp
    last_used_at: Timestamp
  }
  grants: {
    id: string
    account_id: number
    client_id: string
    payload: string
    created_at: Timestamp
    expires_at: Date
  }
  known_devices: {
    account_id: number
    device_hash: string
    /** Of the pages it was last signed in on with it. */
    language: string | null
    last_used_at: Timestamp
    created_at: Timestamp
  }
  links: {
    token_hash: string
    purpose: 'sign_up' | 'reset_password' | 'change_email' | 'not_me'
    email: string
    account_id: number | null
    name: string | null
    password_hash: string | null
    /** Of a cookie: whether the link is opened in the browser that asked for it. */
    browser_hash: string | null
    interaction: string | null
    /** Of `not_me`: when that was done which its mail tells of. */
    since: Timestamp
    expires_at: Date
  }
  mails: {
    id: Generated<number>
    kind: string
    email: string
    language: string
    details: ColumnType<Record<string, unknown>, string | undefined, never>
    attempts: Generated<number>
    /** Whether a process is sending it, until its lease ends. */
    is_in_hand: Generated<boolean>
    failed_at: Date | null
    created_at: Timestamp
    next_attempt_at: Timestamp
  }
  oidc_records: {
    model: string
    id_hash: string
    payload: string
    grant_id: string | null
    client_id: string | null
    user_code: string | null
    consumed_at: Date | null
    expires_at: Date
    succeeds: string | null
    superseded_at: Date | null
  }
  passkey_challenges: {
    challenge_hash: string
    purpose: 'register' | 'sign_in'
    account_id: number | null
    expires_at: Date
  }
  passkeys: {
    credential_id: string
    account_id: number
    name: string
    public_key: string
    counter: Generated<number>
    transports: Json<string[]>
    created_at: Timestamp
    last_used_at: Date | null
  }
  recovery_codes: { account_id: number; code_hash: string }
  sessions: {
    id_hash: string
    uid: string
    account_id: number | null
    payload: string
    user_agent: Generated<string>
    address: Generated<string>
    signed_in_for: string | null
    created_at: Timestamp
    last_used_at: Timestamp
    expires_at: Date
  }
  trusted_browsers: {
    id: Generated<number>
    token_hash: string
    account_id: number
    user_agent: Generated<string>
    address: Generated<string>
    created_at: Timestamp
    last_used_at: Timestamp
    expires_at: Date
  }
  withdrawals: { kind: 'grant' | 'app' | 'token'; subject: string; expires_at: Timestamp }
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

/** A row as it is read. */
export type TableRow<Table extends keyof Tables> = Selectable<Tables[Table]>
