import { queryRows } from '../../db/query.ts'
import type { Database } from '../../db/database.ts'
import { findLanguage } from '../../pages/languages.ts'
import type { ModerationDetails, ModerationMailKind } from './moderation-texts.ts'
import { enqueueMail } from './outbox.ts'

const FIND_RECIPIENT = `
  select account.email, preferences.language
  from accounts account
  left join reader_preferences preferences on preferences.account_id = account.id
  where account.id = $1`

/**
 * Tells somebody, in the language they have chosen, what those who look after the service have done to what is theirs; called
 * in the transaction that does it.
 */
export async function enqueueModerationMail(
  trx: Database,
  accountId: number,
  { kind, ...details }: ModerationDetails & { kind: ModerationMailKind },
): Promise<void> {
  const [found] = await queryRows<{ email: string; language: string | null }>(trx, FIND_RECIPIENT, [
    accountId,
  ])
  if (!found) return
  const language = findLanguage(found.language ?? undefined) ?? 'en'
  await enqueueMail(trx, { kind, email: found.email, language, details })
}
