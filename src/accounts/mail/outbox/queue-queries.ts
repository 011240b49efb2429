import { recordEvent, type Origin } from '../../../audit/events.ts'
import { queryRow, queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { Database } from '../../../db/database.ts'
import type { TableRow } from '../../../db/tables.ts'
import { inTransaction } from '../../../db/transaction.ts'

/** An email that has not been sent yet, without its content. */
export type QueuedMail = Omit<TableRow<'mails'>, 'language' | 'details'>

const LIST = statement('accounts.queue_list').returning<QueuedMail>(`
  select
    id, kind, email, attempts, created_at, next_attempt_at, failed_at,
    is_in_hand and next_attempt_at > now() as is_in_hand
  from mails
  order by failed_at is null, next_attempt_at, id
  limit 200`)

/** Returns queued emails, failed ones first. */
export const listQueuedMails = (db: Database) => queryRows(db, LIST, [])

/** An email that is due will be sent anyway, and retrying one that is being sent would send it twice. */
const RETRY = statement('accounts.retry_mail').returning<{ kind: string }>(`
  update mails set attempts = 0, failed_at = null, next_attempt_at = now(), is_in_hand = false
  where id = $1 and (failed_at is not null or (next_attempt_at > now() and not is_in_hand))
  returning kind`)
const FIND = statement('accounts.queue_find').sql('select from mails where id = $1')

/**
 * Retries an email now, with the full number of attempts.
 *
 * @returns `already` if the email is due or being sent, `gone` if it has been sent
 */
export function retryMail(
  db: Database,
  id: number,
  origin: Origin,
): Promise<'done' | 'already' | 'gone'> {
  return inTransaction(db, async (trx) => {
    const mail = await queryRow(trx, RETRY, [id])
    if (!mail) return (await queryRows(trx, FIND, [id])).length > 0 ? 'already' : 'gone'
    await recordEvent(trx, {
      kind: 'mail_retried',
      ...origin,
      details: { mail: id, what: mail.kind },
    })
    return 'done'
  })
}
