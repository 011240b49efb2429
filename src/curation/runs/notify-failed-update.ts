import { findRecipient } from '../../accounts/mail/mail-language-queries.ts'
import { enqueueMail } from '../../accounts/mail/outbox/outbox.ts'
import { listAdministrators } from '../../accounts/role-queries.ts'
import type { Database } from '../../db/database.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Source } from '../../sources/records/record.ts'
import { listLastOutcomes } from './list-queries.ts'

/** Time, in seconds, that may pass between the end of an update and the lookup of its outcome. */
const LOOKUP_SECONDS = 5

/**
 * Notifies the administrators by email that the update of a source failed or was refused. Does nothing if the import
 * before it ended in the same way, so that a scheduled update that keeps failing notifies once.
 *
 * @param seconds duration of the update; an earlier import is not reported
 * @returns whether the administrators were notified
 */
export function notifyFailedUpdate(
  db: Database,
  source: Source,
  seconds: number,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const [last, previous] = await listLastOutcomes(trx, source)
    if (!last || last.outcome === 'done' || last.seconds_ago > seconds + LOOKUP_SECONDS)
      return false
    if (previous?.outcome === last.outcome) return false
    const details = { source, run: last.id, error: last.error ?? '' }
    for (const id of await listAdministrators(trx)) {
      const recipient = await findRecipient(trx, id)
      if (recipient) await enqueueMail(trx, { kind: 'update_failed', ...recipient, details })
    }
    return true
  })
}
