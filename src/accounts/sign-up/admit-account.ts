import { recordEvent } from '../../audit/events.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { ChangeContext } from '../mail/outbox/outbox.ts'
import { requestApproval } from './approval-queries.ts'
import { consumeInvitation, findInvitation, setInvitation } from './invitation-queries.ts'

/** The sign-up needs an invitation, and its own is missing or no longer valid. */
export class NotInvitedError extends Error {
  override name = 'NotInvitedError'
}

/**
 * Applies the rules of sign-up to an account that its owner has just created, and records the event. Call it in the
 * transaction that creates the account, for every way to sign up.
 *
 * @param mode the current setting; `closed` is refused before an account is created
 * @param invitation its id, from `findInvitation`
 * @throws {NotInvitedError} which must roll back the transaction
 */
export async function admitAccount(
  trx: Database,
  id: number,
  {
    mode,
    invitation,
    language,
    ...origin
  }: ChangeContext & { mode: Config['signUp']; invitation: number | null },
): Promise<void> {
  const isInvited = invitation !== null && (await consumeInvitation(trx, invitation))
  if (mode === 'invitation' && !isInvited) throw new NotInvitedError()
  if (isInvited) await setInvitation(trx, id, invitation)
  const waits = mode === 'approval' && !isInvited
  if (waits) await requestApproval(trx, id, language)
  const details = { ...(isInvited && { invitation }), ...(waits && { awaits_approval: true }) }
  await recordEvent(trx, { kind: 'sign_up', accountId: id, ...origin, details })
}

/**
 * Returns the invitation with the code that a sign-up form sent. With `invitation`, a valid code is required; with
 * `approval`, the code may be empty; other modes ignore it. Does not consume a use.
 */
export async function checkInvitation(
  db: Database,
  mode: Config['signUp'],
  code: string,
): Promise<{ invitation: number | undefined; isRefused: boolean }> {
  if (mode !== 'invitation' && (mode !== 'approval' || code === ''))
    return { invitation: undefined, isRefused: false }
  const invitation = await findInvitation(db, code)
  return { invitation, isRefused: invitation === undefined }
}
