import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Database } from '../../db/database.ts'
import { lockAccount } from '../ban-queries.ts'
import { recordAndNotify, type ChangeContext } from '../mail/outbox/outbox.ts'
import { findAccount, type Account } from '../queries.ts'
import { lockSession } from '../sign-in/lock-session.ts'
import type { UpstreamIdentity } from './upstream-identity.ts'

export type ConnectedIdentity = {
  issuer: string
  email: string | null
  created_at: Date
  last_used_at: Date
}

const LIST = statement('accounts.list_identities').returning<ConnectedIdentity>(`
  select issuer, email, created_at, last_used_at
  from upstream_identities
  where account_id = $1
  order by created_at, issuer`)

/** Returns the identities of an account, oldest first. */
export const listIdentities = (db: Database, accountId: number) => queryRows(db, LIST, [accountId])

const USE = statement('accounts.use_identity').returning<{ account_id: number }>(`
  update upstream_identities
  set last_used_at = now()
  where issuer = $1 and subject = $2
  returning account_id`)

/** Returns the account that an identity belongs to, whatever its state, and records the use. */
export async function useIdentity(
  db: Database,
  { issuer, subject }: Pick<UpstreamIdentity, 'issuer' | 'subject'>,
): Promise<Account | undefined> {
  const used = await queryRow(db, USE, [issuer, subject])
  return used && findAccount(db, used.account_id)
}

/** The unique constraints decide races for an identity. */
const INSERT = statement('accounts.insert_identity').sql(`
  insert into upstream_identities (issuer, subject, account_id, email, vouches_for_email)
  values ($1, $2, $3, $4, $5)
  on conflict do nothing
  returning account_id`)

/**
 * Adds an identity to an account.
 *
 * @param vouchesForEmail whether only the provider has verified the account's address
 * @returns false if the identity belongs to an account, or the account has another identity of this provider
 */
export async function insertIdentity(
  trx: Database,
  accountId: number,
  { issuer, subject, email }: UpstreamIdentity,
  vouchesForEmail: boolean,
): Promise<boolean> {
  const inserted = await queryRows(trx, INSERT, [
    issuer,
    subject,
    accountId,
    email,
    vouchesForEmail,
  ])
  return inserted.length > 0
}

/** Change of the identities of an account. */
type IdentityChange = ChangeContext & {
  /** Name of the provider, for the history. */
  label: string
}

/**
 * Connects an identity to an account, and notifies the owner by email.
 *
 * @param session session that makes the change (`lockSession`)
 * @returns false if the identity belongs to an account, or the account has another identity of this provider
 */
export function connectIdentity(
  db: Database,
  accountId: number,
  identity: UpstreamIdentity,
  { session, label, ...context }: IdentityChange & { session: string },
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    await lockSession(trx, accountId, session)
    if (!(await insertIdentity(trx, accountId, identity, false))) return false
    const event = { kind: 'provider_connected', details: { name: label } } as const
    await recordAndNotify(trx, accountId, event, 'provider_changed', context)
    return true
  })
}

const DELETE = statement('accounts.delete_identity').sql(`
  delete from upstream_identities where account_id = $1 and issuer = $2 returning issuer`)

/**
 * Disconnects the identity of a provider, and notifies the owner by email.
 *
 * @returns `last` if the account could then sign in only after a password reset; `vouches` if only this provider has
 * verified the address, which must stay known until a reset; `gone` if there is no such identity
 */
export function disconnectIdentity(
  db: Database,
  accountId: number,
  issuer: string,
  { label, ...context }: IdentityChange,
): Promise<'done' | 'last' | 'vouches' | 'gone'> {
  return inTransaction(db, async (trx) => {
    await lockAccount(trx, accountId)
    if (await isLastSignInMethod(trx, accountId, { issuer })) return 'last'
    if ((await queryRow(trx, FIND_VOUCHING, [accountId]))?.issuer === issuer) return 'vouches'
    if ((await queryRows(trx, DELETE, [accountId, issuer])).length === 0) return 'gone'
    const event = { kind: 'provider_disconnected', details: { name: label } } as const
    await recordAndNotify(trx, accountId, event, 'provider_changed', context)
    return 'done'
  })
}

/** The address may have been changed since, with a confirmation by email. */
const FIND_VOUCHING = statement('accounts.find_vouching_identity').returning<{ issuer: string }>(`
  select identity.issuer
  from upstream_identities identity
  join accounts account on account.id = identity.account_id
  where account.id = $1 and identity.vouches_for_email and fold_email(identity.email) = fold_email(account.email)`)

/**
 * Removes every other way into an account whose address only a provider has verified. Call it once the owner of the
 * mailbox has identified themselves: the person who created the account may be someone else. The authenticator app
 * stays, so that the mailbox alone never replaces a second factor.
 *
 * @param trx has locked the account
 */
export async function removeUnconfirmedAccess(trx: Database, accountId: number): Promise<void> {
  if (!(await queryRow(trx, FIND_VOUCHING, [accountId]))) return
  // Deleting consents also deletes their grants.
  for (const table of [
    'upstream_identities',
    'passkeys',
    'consents',
    'personal_tokens',
    'private_feeds',
    'known_devices',
  ] as const)
    await trx.deleteFrom(table).where('account_id', '=', accountId).execute()
}

const HAS_OTHER_METHOD = statement('accounts.has_other_method').sql(`
  select from accounts account
  where account.id = $1
    and (
      account.password_hash is not null
      or exists (select from passkeys where account_id = $1 and credential_id is distinct from $2)
      or exists (select from upstream_identities where account_id = $1 and issuer is distinct from $3)
    )`)

/**
 * Whether an account has no password, passkey or identity besides the given one.
 *
 * @param trx has locked the account (`lockAccount`)
 */
export async function isLastSignInMethod(
  trx: Database,
  accountId: number,
  { passkey, issuer }: { passkey?: string; issuer?: string },
): Promise<boolean> {
  const others = await queryRows(trx, HAS_OTHER_METHOD, [
    accountId,
    passkey ?? null,
    issuer ?? null,
  ])
  return others.length === 0
}
