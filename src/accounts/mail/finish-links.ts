import { inTransaction } from '../../db/transaction.ts'
import type { Database } from '../../db/database.ts'
import { throttleKeys, resetAttempts } from '../sign-in/login-throttle.ts'
import type { Config } from '../../config/config.ts'
import { admitAccount, NotInvitedError } from '../sign-up/admit-account.ts'
import { deleteLink, type MailLink } from './link-queries.ts'
import { enqueueMail, recordAndNotify, type ChangeContext } from './outbox/outbox.ts'
import { resetPassword } from '../credentials/password-queries.ts'
import { insertIdentity } from '../credentials/upstream-identities.ts'
import type { UpstreamIdentity } from '../credentials/upstream-identity.ts'
import { endFlow } from '../sign-in/upstream-flows.ts'
import { changeEmail, insertAccount } from '../queries.ts'

/** The address or the identity belongs to another account. */
class TakenError extends Error {
  override name = 'TakenError'
}

type FinishedSignUp =
  | { outcome: 'created'; id: number }
  /** The address or the identity was taken in the meantime. */
  | { outcome: 'taken' }
  | { outcome: 'not_invited' }

/**
 * Creates the account of a confirmed sign-up, which signs in with a password or with an identity at another provider.
 *
 * @param link with the purpose `sign_up`, from `findLink`. It is redeemed in the same transaction
 * @param mode the current setting, which may have changed since the form was sent
 * @returns undefined if the link was redeemed in the meantime
 */
export async function finishSignUp(
  db: Database,
  link: MailLink,
  mode: Config['signUp'],
  context: ChangeContext,
): Promise<FinishedSignUp | undefined> {
  const { email, name, password_hash, identity, invitation_id } = link
  if (name === null) return undefined
  const signUp = { email, name, password_hash, identity, isVouched: false, invitation_id }
  return createAccountOf(db, signUp, mode, context, (trx) => deleteLink(trx, link))
}

/** Sign-up with an identity whose address the provider has verified. */
type UpstreamSignUp = {
  email: string
  name: string
  identity: UpstreamIdentity
  invitation_id: number | null
  /** Token of the flow, which ends. */
  flow: string
}

/**
 * Creates the account of a sign-up at another provider, which needs no email.
 *
 * @returns undefined if the flow ended in the meantime
 */
export const finishUpstreamSignUp = (
  db: Database,
  { flow, ...signUp }: UpstreamSignUp,
  mode: Config['signUp'],
  context: ChangeContext,
): Promise<FinishedSignUp | undefined> =>
  createAccountOf(db, { ...signUp, password_hash: null, isVouched: true }, mode, context, (trx) =>
    endFlow(trx, flow),
  )

type SignUp = Pick<MailLink, 'email' | 'password_hash' | 'identity' | 'invitation_id'> & {
  name: string
  /** Whether only the provider has verified the address. */
  isVouched: boolean
}

/**
 * Creates an account, and applies the rules of sign-up to it. Nothing changes unless an account is created.
 *
 * @param redeem ends the link or flow in the same transaction; false if it ended in the meantime
 */
async function createAccountOf(
  db: Database,
  { email, name, password_hash, identity, isVouched, invitation_id: invitation }: SignUp,
  mode: Config['signUp'],
  context: ChangeContext,
  redeem: (trx: Database) => Promise<boolean>,
): Promise<FinishedSignUp | undefined> {
  try {
    return await inTransaction(db, async (trx) => {
      if (!(await redeem(trx))) return undefined
      const id = await insertAccount(trx, { email, name, password_hash, verified: true })
      if (id === undefined) throw new TakenError()
      if (identity !== null && !(await insertIdentity(trx, id, identity, isVouched)))
        throw new TakenError()
      await admitAccount(trx, id, { mode, invitation, ...context })
      return { outcome: 'created', id }
    })
  } catch (error) {
    if (error instanceof NotInvitedError) return { outcome: 'not_invited' }
    if (error instanceof TakenError) return { outcome: 'taken' }
    throw error
  }
}

/**
 * Sets the password chosen after a reset, ends all sessions, revokes all personal access tokens, and resets the account's
 * sign-in attempts.
 *
 * @param link with the purpose `reset_password`, from `redeemLink`
 * @param passwordHash hash of the new password, from `hashPassword`
 * @returns the account's id, or undefined if the account is gone or its address has changed since
 */
export function finishReset(
  db: Database,
  { account_id, email }: MailLink,
  passwordHash: string,
  context: ChangeContext,
): Promise<number | undefined> {
  return inTransaction(db, async (trx) => {
    if (account_id === null) return undefined
    const owner = { id: account_id, email }
    if (!(await resetPassword(trx, owner, passwordHash, context))) return undefined
    await resetAttempts(trx, throttleKeys.account(email))
    await recordAndNotify(trx, account_id, { kind: 'password_reset' }, 'password_changed', context)
    return account_id
  })
}

/**
 * Changes an account's email address and notifies the old address, from which the change can be undone for a week.
 *
 * @param link with the purpose `change_email`, from `findLink`. It is redeemed in the same transaction, so that a
 * client that loses access in the meantime cannot change the address.
 * @returns `taken` if another account has the address
 */
export async function finishEmailChange(
  db: Database,
  link: MailLink,
  { language, ...origin }: ChangeContext,
): Promise<'changed' | 'taken' | 'gone'> {
  const { account_id, email } = link
  if (account_id === null) return 'gone'
  const { address, userAgent: user_agent } = origin
  let wasThere = false
  const before = await changeEmail(db, account_id, email, origin, {
    isAllowed: async (trx) => (wasThere = await deleteLink(trx, link)),
    afterChange: (trx, previous) =>
      enqueueMail(trx, {
        kind: 'email_changed',
        email: previous,
        language,
        details: { account_id, address, user_agent },
      }),
  })
  if (before !== undefined) return 'changed'
  return wasThere ? 'taken' : 'gone'
}
