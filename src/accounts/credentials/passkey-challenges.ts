import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { hashToken, newToken } from '../../kernel/opaque-tokens.ts'

type Purpose = 'register' | 'sign_in'

const INSERT_CHALLENGE = statement('accounts.insert_challenge').sql(`
  insert into passkey_challenges (challenge_hash, purpose, account_id, expires_at)
  values ($1, $2, $3, now() + interval '5 minutes')`)

/** Creates a challenge, in base64url, that a passkey must sign within five minutes. */
export async function createChallenge(
  db: Database,
  purpose: Purpose,
  accountId?: number,
): Promise<string> {
  const challenge = newToken()
  await queryRows(db, INSERT_CHALLENGE, [hashToken(challenge), purpose, accountId ?? null])
  return challenge
}

const REDEEM_CHALLENGE = statement('accounts.take_challenge').sql(`
  delete from passkey_challenges
  where challenge_hash = $1 and purpose = $2 and account_id is not distinct from $3::bigint and expires_at > now()
  returning challenge_hash`)

/**
 * Redeems a challenge.
 *
 * @returns false if there is no unexpired challenge for this purpose and account
 */
export async function redeemChallenge(
  db: Database,
  challenge: string,
  purpose: Purpose,
  accountId?: number,
): Promise<boolean> {
  const redeemed = await queryRows(db, REDEEM_CHALLENGE, [
    hashToken(challenge),
    purpose,
    accountId ?? null,
  ])
  return redeemed.length > 0
}
