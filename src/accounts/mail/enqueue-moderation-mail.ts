import type { Database } from '../../db/database.ts'
import { findRecipient } from './mail-language-queries.ts'
import type { ModerationDetails, ModerationMailKind } from './compose-moderation-mail.ts'
import { enqueueMail } from './outbox/outbox.ts'

/**
 * Tells somebody, in the language they have chosen or last signed in in, what those who look after the service have done to what is theirs; called
 * in the transaction that does it.
 */
export async function enqueueModerationMail(
  trx: Database,
  accountId: number,
  { kind, ...details }: ModerationDetails & { kind: ModerationMailKind },
): Promise<void> {
  const recipient = await findRecipient(trx, accountId)
  if (recipient) await enqueueMail(trx, { kind, ...recipient, details })
}
