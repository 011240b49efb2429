import type { Origin } from '../../audit/events.ts'
import type { Database } from '../../db/database.ts'
import type { Language } from '../../i18n/languages.ts'
import { consumeHourlyQuota, throttleKeys } from '../sign-in/login-throttle.ts'
import { findRecipient, UNKNOWN_LANGUAGE } from './mail-language-queries.ts'
import { enqueueNotice } from './outbox/outbox.ts'

/**
 * Maximum notices per account and hour, so that creating apps in a loop floods no mailbox. The link of an earlier
 * email also disables later apps.
 */
const MAX_WITHIN_HOUR = 20

/**
 * Enqueues a notice to the owner of an account that an app was registered, in the same transaction.
 *
 * @param origin `language` of the page; if undefined, the preferred language or that of the last sign-in
 */
export async function enqueueRegistrationNotice(
  trx: Database,
  accountId: number,
  { language, ...origin }: Origin & { language?: Language | undefined },
): Promise<void> {
  const key = throttleKeys.mailTo('app_registered', String(accountId))
  if ((await consumeHourlyQuota(trx, key, MAX_WITHIN_HOUR)) !== undefined) return
  const noticeLanguage =
    language ?? (await findRecipient(trx, accountId))?.language ?? UNKNOWN_LANGUAGE
  await enqueueNotice(trx, accountId, {
    kind: 'app_registered',
    language: noticeLanguage,
    ...origin,
  })
}
