import { sql } from 'kysely'
import { recordEvent, type Origin } from '../../audit/events.ts'
import type { Database } from '../../db/database.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { TableRow } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { hashToken } from '../../kernel/opaque-tokens.ts'
import { generationOf, isStaleForm } from '../generation.ts'
import { recordAndNotify, type ChangeContext } from '../mail/outbox/outbox.ts'
import { lockSession } from '../sign-in/lock-session.ts'
import { newPersonalToken } from './token-format.ts'

/** Maximum number of tokens per account. The column `slot` has the same limit. */
export const MAX_PERSONAL_TOKENS = 50

const COLUMNS = ['id', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at'] as const

export type PersonalToken = Pick<TableRow<'personal_tokens'>, (typeof COLUMNS)[number]>

/** Returns an account's personal access tokens, newest first. */
export function listPersonalTokens(db: Database, accountId: number): Promise<PersonalToken[]> {
  return db
    .selectFrom('personal_tokens')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .execute()
}

/** Returns the generation of an account's tokens. */
export const tokenGeneration = (db: Database, accountId: number): Promise<number> =>
  generationOf(db, ['token_created'], accountId)

const INSERT_TOKEN = statement('accounts.insert_personal_token').returning<{ id: number }>(`
  insert into personal_tokens (account_id, slot, token_hash, name, scopes, expires_at)
  select $1::bigint, free.slot, $2::text, $3::text, $4::jsonb, now() + make_interval(days => $5::integer)
  from generate_series(1, ${MAX_PERSONAL_TOKENS}) free (slot)
  where not exists (
    select from personal_tokens taken where taken.account_id = $1 and taken.slot = free.slot
  )
  order by free.slot
  limit 1
  returning id`)

export type NewPersonalToken = {
  /** Name that `checkName` has validated. */
  name: string
  scopes: string[]
  /** Lifetime; undefined for a token that does not expire. */
  days: number | undefined
  /** `submittedGeneration` of the form. */
  generation: string
  /** Session that makes the change (`lockSession`). */
  session: string
}

/**
 * Creates a token, and notifies the owner by email. Only its hash is stored.
 *
 * @returns the token, or why it was not created: the account has the maximum number of tokens, or the form is stale
 * because another token was created since
 */
export function createPersonalToken(
  db: Database,
  accountId: number,
  { name, scopes, days, generation, session }: NewPersonalToken,
  context: ChangeContext,
): Promise<{ token: string } | { fault: 'full' | 'stale' }> {
  const token = newPersonalToken()
  return inTransaction(db, async (trx) => {
    await lockSession(trx, accountId, session)
    if (isStaleForm(await tokenGeneration(trx, accountId), generation)) return { fault: 'stale' }
    const created = await queryRow(trx, INSERT_TOKEN, [
      accountId,
      hashToken(token),
      name,
      JSON.stringify(scopes),
      days ?? null,
    ])
    if (!created) return { fault: 'full' }
    const event = { kind: 'token_created', details: { name, scopes } } as const
    await recordAndNotify(trx, accountId, event, 'token_created', context)
    return { token }
  })
}

/**
 * Revokes one token or all tokens of an account. Every process rejects them within a second.
 *
 * @param which id of the token, or `all`
 * @returns the names of the revoked tokens
 */
export function revokePersonalTokens(
  db: Database,
  accountId: number,
  which: number | 'all',
  { reason, ...origin }: Origin & { reason?: string } = {},
): Promise<string[]> {
  return inTransaction(db, async (trx) => {
    const revoked = await trx
      .deleteFrom('personal_tokens')
      .where('account_id', '=', accountId)
      .where((token) => (which === 'all' ? token.lit(true) : token('id', '=', which)))
      .returning('name')
      .execute()
    const names = revoked.map(({ name }) => name)
    for (const name of names) {
      const details = { name, ...(reason !== undefined && { reason }) }
      await recordEvent(trx, { kind: 'token_revoked', accountId, ...origin, details })
    }
    return names
  })
}

/** A token as its verification needs it. */
export type StoredPersonalToken = {
  id: number
  token_hash: string
  account_id: number
  scopes: string[]
  expires_at: Date | null
  is_banned: boolean
}

const FIND_TOKENS = statement('accounts.find_personal_tokens').returning<StoredPersonalToken>(`
  select
    token.id, token.token_hash, token.account_id, token.scopes, token.expires_at,
    account.banned_at is not null as is_banned
  from personal_tokens token
  join accounts account on account.id = token.account_id
  where token.token_hash = any($1::text[]) and account.deletion_requested_at is null`)

/** Finds tokens by their hashes. The index compares hashes, so the time of a look-up discloses nothing about tokens. */
export const findPersonalTokens = (
  db: Database,
  tokenHashes: string[],
): Promise<StoredPersonalToken[]> => queryRows(db, FIND_TOKENS, [tokenHashes])

/** Records the hour in which a token was used. */
export async function recordTokenUse(db: Database, id: number): Promise<void> {
  await db
    .updateTable('personal_tokens')
    .set({ last_used_at: sql<Date>`date_trunc('hour', now(), 'UTC')` })
    .where('id', '=', id)
    .where(sql<boolean>`last_used_at is distinct from date_trunc('hour', now(), 'UTC')`)
    .execute()
}
