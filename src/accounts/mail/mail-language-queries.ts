import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { findLanguage, type Language } from '../../i18n/languages.ts'

/**
 * Language of an email to a recipient whose language is unknown: BCP 47's tag for an undetermined language. The sender
 * replaces it with `DEFAULT_LANGUAGE`.
 */
export const UNKNOWN_LANGUAGE = 'und'

export type MailLanguage = Language | typeof UNKNOWN_LANGUAGE

/**
 * SQL for the page language of the account's last sign-in from any browser; null if unknown.
 *
 * @param account SQL for the account's id
 */
export const signInLanguage = (account: string) => `(
    select device.language from known_devices device
    where device.account_id = ${account} and device.language is not null
    order by device.last_used_at desc, device.device_hash
    limit 1
  )`

/**
 * SQL for the language of an email about a change that someone else made to an account.
 *
 * @param chosen SQL for the account's preferred language, or null
 */
export const mailLanguage = (account: string, chosen: string) =>
  `coalesce(${chosen}, ${signInLanguage(account)}, '${UNKNOWN_LANGUAGE}')`

const FIND_RECIPIENT = statement('accounts.find_recipient').returning<{
  email: string
  language: string
}>(`
  select
    account.email,
    ${mailLanguage('account.id', 'coalesce(preferences.language, account.approval_language)')} as language
  from accounts account
  left join reader_preferences preferences on preferences.account_id = account.id
  where account.id = $1`)

/**
 * Returns the address and language for emails about changes that someone else made: the preferred language, or that of
 * the last sign-in.
 */
export async function findRecipient(
  db: Database,
  accountId: number,
): Promise<{ email: string; language: MailLanguage } | undefined> {
  const found = await queryRow(db, FIND_RECIPIENT, [accountId])
  return found && { email: found.email, language: findLanguage(found.language) ?? UNKNOWN_LANGUAGE }
}
