import type { Database } from '../../db/database.ts'
import { findRecipient } from './mail-language-queries.ts'
import type { ModerationDetails, ModerationMailKind } from './compose-moderation-mail.ts'
import { enqueueMail } from './outbox/outbox.ts'

/**
 * Enqueues an email to a user about what moderators did to their account or content. Call it in the same transaction.
 */
export async function enqueueModerationMail(
  trx: Database,
  accountId: number,
  { kind, ...details }: ModerationDetails & { kind: ModerationMailKind },
): Promise<void> {
  const recipient = await findRecipient(trx, accountId)
  if (recipient) await enqueueMail(trx, { kind, ...recipient, details })
}
