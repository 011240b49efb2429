import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Database } from '../../db/database.ts'
import { SOFTWARE_NAME } from '../../ui/software-name.ts'
import { lockSession } from '../sign-in/lock-session.ts'
import { recordAndNotify, type ChangeContext } from '../mail/outbox/outbox.ts'
import { createChallenge, redeemChallenge } from './passkey-challenges.ts'
import { listPasskeys } from './passkey-list.ts'
import { findAccount, type Account } from '../queries.ts'

/** Passkeys belong to the host of the identity provider and work only on its pages. */
const rpIdOf = (authUrl: string) => new URL(authUrl).hostname
/** User handle for authenticators: opaque bytes. */
const userIdOf = (accountId: number) => new TextEncoder().encode(String(accountId))

/** Loaded on first use, because its three hundred modules would delay startup. */
const loadLibrary = () => import('@simplewebauthn/server')

/**
 * EdDSA, ES256 and RS256 (IANA COSE algorithms). Every authenticator supports one of them. The library's default list
 * includes some that are experimental in Node.
 */
const ALGORITHMS = [-8, -7, -257]

const fromBase64Url = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))

/** Returns what a browser needs to create a passkey for the account, within five minutes. */
export async function registrationOptions(
  db: Database,
  authUrl: string,
  account: Account,
  siteName: string = SOFTWARE_NAME,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await loadLibrary()
  const passkeys = await listPasskeys(db, account.id)
  return generateRegistrationOptions({
    rpName: siteName,
    rpID: rpIdOf(authUrl),
    userName: account.email,
    userDisplayName: account.name,
    userID: userIdOf(account.id),
    challenge: fromBase64Url(await createChallenge(db, 'register', account.id)),
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: passkeys.map(({ credential_id }) => ({ id: credential_id })),
    // The passkey is found without a user name and verifies the user, so it needs no second factor.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

export type Registration = ChangeContext & {
  /** Unvalidated response from the browser. */
  response: unknown
  /** Name that `checkName` has validated. */
  name: string
  /** Session that makes the change (`lockSession`). */
  session?: string
}

/**
 * Verifies and stores a new passkey.
 *
 * @returns its credential id; undefined if the response is not to a challenge for this account, or the passkey is
 *   already known
 */
export async function finishRegistration(
  db: Database,
  authUrl: string,
  accountId: number,
  { response, name, session, ...context }: Registration,
): Promise<string | undefined> {
  const challenge = challengeOf(response)
  if (challenge === undefined || !(await redeemChallenge(db, challenge, 'register', accountId)))
    return undefined
  const { verifyRegistrationResponse } = await loadLibrary()
  const verified = await verifyRegistrationResponse({
    // as: the library validates every field and throws
    response: response as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: new URL(authUrl).origin,
    expectedRPID: rpIdOf(authUrl),
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined)
  if (!verified?.verified) return undefined
  const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential
  return inTransaction(db, async (trx) => {
    await lockSession(trx, accountId, session)
    const inserted = await trx
      .insertInto('passkeys')
      .values({
        credential_id: id,
        account_id: accountId,
        name,
        public_key: Buffer.from(publicKey).toString('base64url'),
        counter,
        transports: JSON.stringify(transports),
      })
      .onConflict((conflict) => conflict.column('credential_id').doNothing())
      .returning('credential_id')
      .executeTakeFirst()
    if (!inserted) return undefined
    const event = { kind: 'passkey_added', details: { name } } as const
    await recordAndNotify(trx, accountId, event, 'second_factor_changed', context)
    return inserted.credential_id
  })
}

/** Returns what a browser needs to offer its passkeys for this host, within five minutes. */
export async function authenticationOptions(
  db: Database,
  authUrl: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await loadLibrary()
  return generateAuthenticationOptions({
    rpID: rpIdOf(authUrl),
    challenge: fromBase64Url(await createChallenge(db, 'sign_in')),
    userVerification: 'required',
  })
}

export type PasskeyOutcome =
  | { outcome: 'ok'; account: Account }
  | { outcome: 'wrong' }
  | { outcome: 'banned'; account: Account }

/** A counter that does not increase indicates a copied passkey. Authenticators without a counter always send 0. */
const USE_PASSKEY = statement('accounts.use_passkey').sql(`
  update passkeys
  set counter = $2::bigint, last_used_at = now()
  where credential_id = $1 and (counter < $2::bigint or (counter = 0 and $2::bigint = 0))
  returning account_id`)

/**
 * Returns the account whose passkey signed a challenge. A sign-in by passkey needs neither a password nor a second
 * factor.
 */
export async function finishAuthentication(
  db: Database,
  authUrl: string,
  response: unknown,
): Promise<PasskeyOutcome> {
  const challenge = challengeOf(response)
  if (challenge === undefined || !(await redeemChallenge(db, challenge, 'sign_in')))
    return { outcome: 'wrong' }
  // as: the library validates every field and throws
  const credential = response as AuthenticationResponseJSON
  const id: unknown = credential.id
  const passkey = await db
    .selectFrom('passkeys')
    .select(['credential_id', 'account_id', 'public_key', 'counter'])
    .where('credential_id', '=', typeof id === 'string' ? id.replaceAll('\0', '') : '')
    .executeTakeFirst()
  if (!passkey) return { outcome: 'wrong' }
  const { verifyAuthenticationResponse } = await loadLibrary()
  const verified = await verifyAuthenticationResponse({
    response: credential,
    expectedChallenge: challenge,
    expectedOrigin: new URL(authUrl).origin,
    expectedRPID: rpIdOf(authUrl),
    credential: {
      id: passkey.credential_id,
      publicKey: fromBase64Url(passkey.public_key),
      counter: passkey.counter,
    },
    requireUserVerification: true,
  }).catch(() => undefined)
  if (!verified?.verified) return { outcome: 'wrong' }
  const used = await queryRows(db, USE_PASSKEY, [
    passkey.credential_id,
    verified.authenticationInfo.newCounter,
  ])
  const account = used.length > 0 ? await findAccount(db, passkey.account_id) : undefined
  if (!account) return { outcome: 'wrong' }
  return { outcome: account.banned_at ? 'banned' : 'ok', account }
}

/** Returns the challenge that a browser's response claims to sign, or undefined if it is malformed. */
function challengeOf(body: unknown): string | undefined {
  try {
    // as: a missing property throws
    const { response } = body as { response: { clientDataJSON: string } }
    const { challenge }: { challenge: unknown } = JSON.parse(
      Buffer.from(response.clientDataJSON, 'base64url').toString(),
    )
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}
