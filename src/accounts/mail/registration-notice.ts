import type { Origin } from '../../audit/events.ts'
import type { Database } from '../../db/database.ts'
import type { Language } from '../../i18n/languages.ts'
import { consumeHourlyQuota, throttleKeys } from '../sign-in/login-throttle.ts'
import { findRecipient } from './mail-language-queries.ts'
import { enqueueNotice } from './outbox/outbox.ts'

/** Of one account; whoever makes and deletes apps in a loop floods no mailbox. The link of an earlier mail disables later apps too. */
const MAX_WITHIN_HOUR = 20

/**
 * Tells the owner of an account that an app was registered in it, in the transaction that registers it.
 *
 * @param from `language`: of the page it was done on; missing: the one the account has chosen, or last signed in in
 */
export async function enqueueRegistrationNotice(
  trx: Database,
  accountId: number,
  { language, ...origin }: Origin & { language?: Language | undefined },
): Promise<void> {
  const key = throttleKeys.mailTo('app_registered', String(accountId))
  if ((await consumeHourlyQuota(trx, key, MAX_WITHIN_HOUR)) !== undefined) return
  const told = language ?? (await findRecipient(trx, accountId))?.language ?? 'en'
  await enqueueNotice(trx, accountId, { kind: 'app_registered', language: told, ...origin })
}
