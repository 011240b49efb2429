import { findAccount, type Account } from '../accounts/queries.ts'
import type { Database } from '../db/database.ts'
import { absolutePictureUrl } from '../uploads/upload-path.ts'
import { isId } from '../http/wire/requests/validation.ts'

/** Claims that each scope releases (OpenID Connect Core §5.4). */
export const CLAIMS = {
  // `auth_time` and `amr` describe the session, and are only in the ID token.
  openid: ['sub', 'auth_time', 'amr'],
  profile: ['name', 'nickname', 'preferred_username', 'picture', 'updated_at'],
  email: ['email', 'email_verified'],
} satisfies Record<string, string[]>

/** All claims of an account. The granted scopes determine which of them an app receives. */
export type AccountClaims = {
  sub: string
  name: string
  nickname: string
  preferred_username: string
  picture?: string
  /** Seconds since 1970. */
  updated_at: number
  email: string
  email_verified: boolean
}

export type ClaimsAccount = Pick<
  Account,
  | 'id'
  | 'email'
  | 'name'
  | 'nickname'
  | 'picture'
  | 'email_verified_at'
  | 'banned_at'
  | 'deletion_requested_at'
  | 'approval_requested_at'
  | 'updated_at'
>

/** @returns undefined if the account is gone or not active; apps cannot distinguish these cases */
export async function findClaims(
  db: Database,
  accountId: string,
  origin: string,
): Promise<AccountClaims | undefined> {
  return claimsOf(isId(accountId) ? await findAccount(db, Number(accountId)) : undefined, origin)
}

/** Whether the account is neither banned, nor scheduled for deletion, nor waiting for approval. */
export const isActive = (account: ClaimsAccount) =>
  !account.banned_at && !account.deletion_requested_at && !account.approval_requested_at

/**
 * @param origin origin of our pages, for the URL of an uploaded picture
 * @returns undefined if the account is gone or not active
 */
export function claimsOf(
  account: ClaimsAccount | undefined,
  origin: string,
): AccountClaims | undefined {
  if (!account || !isActive(account)) return undefined
  return {
    sub: String(account.id),
    name: account.name,
    nickname: account.nickname ?? account.name,
    preferred_username: account.nickname ?? account.name,
    ...(account.picture !== null && { picture: absolutePictureUrl(account.picture, origin) }),
    updated_at: Math.floor(account.updated_at.getTime() / 1_000),
    email: account.email,
    email_verified: account.email_verified_at !== null,
  }
}
