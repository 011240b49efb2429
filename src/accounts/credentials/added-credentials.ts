import type { Database } from '../../db/database.ts'
import type { ConnectedIdentity } from './upstream-identities.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'

/** Sign-in methods and access tokens added to an account since a given time. */
export type AddedCredentials = {
  /** When the authenticator app was added; null if it is missing or older. */
  authenticator: Date | null
  passkeys: { name: string; created_at: Date }[]
  /** Identities at other providers. */
  identities: Pick<ConnectedIdentity, 'issuer' | 'created_at'>[]
  /** Number of recovery codes. */
  recovery_codes: number
  /** Personal access tokens. */
  tokens: { name: string; created_at: Date }[]
  /** When the addresses of private feeds were created; null if they are missing or older. */
  feeds: Date | null
}

const LIST_ADDED = statement('accounts.list_added').returning<
  Omit<AddedCredentials, 'passkeys' | 'identities' | 'tokens'>
>(`
  select
    case when account.totp_added_at >= $2 then account.totp_added_at end as authenticator,
    (
      select count(*)::integer
      from recovery_codes code
      where code.account_id = account.id
        and code.created_at >= $2
    ) as recovery_codes,
    (
      select feeds.created_at from private_feeds feeds where feeds.account_id = account.id and feeds.created_at >= $2
    ) as feeds
  from accounts account
  where account.id = $1`)
const LIST_PASSKEYS = statement('accounts.list_passkeys').returning<
  AddedCredentials['passkeys'][number]
>(`
  select name, created_at from passkeys where account_id = $1 and created_at >= $2 order by created_at, credential_id`)
const LIST_IDENTITIES = statement('accounts.list_added_identities').returning<
  AddedCredentials['identities'][number]
>(`
  select issuer, created_at from upstream_identities where account_id = $1 and created_at >= $2 order by created_at, issuer`)

const LIST_TOKENS = statement('accounts.list_added_tokens').returning<
  AddedCredentials['tokens'][number]
>(`
  select name, created_at from personal_tokens where account_id = $1 and created_at >= $2 order by id`)

export async function listCredentialsAddedSince(
  db: Database,
  accountId: number,
  since: Date,
): Promise<AddedCredentials> {
  const found = await queryRow(db, LIST_ADDED, [accountId, since])
  const passkeys = await queryRows(db, LIST_PASSKEYS, [accountId, since])
  const identities = await queryRows(db, LIST_IDENTITIES, [accountId, since])
  const tokens = await queryRows(db, LIST_TOKENS, [accountId, since])
  return {
    authenticator: null,
    recovery_codes: 0,
    feeds: null,
    ...found,
    passkeys,
    identities,
    tokens,
  }
}

/** Recovery codes are removed with the authenticator app that they replace. */
const REMOVALS = [
  statement('accounts.remove_passkeys').sql(
    'delete from passkeys where account_id = $1 and created_at >= $2',
  ),
  statement('accounts.remove_identities').sql(
    'delete from upstream_identities where account_id = $1 and created_at >= $2',
  ),
  statement('accounts.remove_recovery_codes')
    .sql(`delete from recovery_codes where account_id = $1 and (
     created_at >= $2 or exists (select from accounts where id = $1 and totp_added_at >= $2)
   )`),
  statement('accounts.remove_authenticator').sql(
    `update accounts set totp_secret = null, totp_last_step = 0, totp_added_at = null where id = $1 and totp_added_at >= $2`,
  ),
  statement('accounts.remove_tokens').sql(
    'delete from personal_tokens where account_id = $1 and created_at >= $2',
  ),
  statement('accounts.remove_feeds').sql(
    'delete from private_feeds where account_id = $1 and created_at >= $2',
  ),
  // A known device does not trigger an email when it signs in.
  statement('accounts.remove_known_devices').sql(
    'delete from known_devices where account_id = $1 and created_at >= $2',
  ),
]

/**
 * Removes the sign-in methods and access tokens that were added since the given time.
 *
 * @param trx holds a lock on the account
 * @returns the removed ones
 */
export async function removeCredentialsAddedSince(
  trx: Database,
  accountId: number,
  since: Date,
): Promise<AddedCredentials> {
  const added = await listCredentialsAddedSince(trx, accountId, since)
  for (const removal of REMOVALS) await queryRows(trx, removal, [accountId, since])
  return added
}
