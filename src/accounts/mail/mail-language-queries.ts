import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { findLanguage, type Language } from '../../i18n/languages.ts'

/**
 * SQL: the language of the pages an account last signed in on, whatever browser that was; null where nobody knows.
 *
 * @param account SQL: its id
 */
export const signInLanguage = (account: string) => `(
    select device.language from known_devices device
    where device.account_id = ${account} and device.language is not null
    order by device.last_used_at desc, device.device_hash
    limit 1
  )`

/** SQL: the language of a mail to an account about what it has not done itself. @param chosen SQL: its preference, or null */
export const mailLanguage = (account: string, chosen: string) =>
  `coalesce(${chosen}, ${signInLanguage(account)}, 'en')`

const FIND_RECIPIENT = statement('accounts.find_recipient').returning<{
  email: string
  language: string
}>(`
  select account.email, ${mailLanguage('account.id', 'preferences.language')} as language
  from accounts account
  left join reader_preferences preferences on preferences.account_id = account.id
  where account.id = $1`)

/** Where, and in which language, an account is told what it has not done itself: the one it has chosen, or last signed in in. */
export async function findRecipient(
  db: Database,
  accountId: number,
): Promise<{ email: string; language: Language } | undefined> {
  const found = await queryRow(db, FIND_RECIPIENT, [accountId])
  return found && { email: found.email, language: findLanguage(found.language) ?? 'en' }
}
