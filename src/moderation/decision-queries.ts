import { recordEvent, type Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { inTransaction } from '../db/transaction.ts'
import type { SubjectKind } from './reasons.ts'
import type { Report } from './report-queries.ts'

const LIST_REPORTERS = statement('moderation.list_reporters').returning<{ id: number }>(`
  select account_id as id from reports
  where kind = $1 and subject = $2 and state = 'OPEN'
  order by account_id`)

/** `$6` is the newest report to close, or null for all. */
const CLOSE = statement('moderation.close').sql(`
  update reports set state = $4, decided_at = now(), decided_by = $5
  where account_id = $1 and kind = $2 and subject = $3 and state = 'OPEN' and id <= coalesce($6::bigint, id)
  returning id`)

/**
 * Closes the open reports about some content, one account at a time.
 *
 * @param about `last` is the newest report to close, if later ones stay open
 * @returns the number of closed reports
 */
export async function closeReports(
  trx: Database,
  { kind, subject, last = null }: { kind: SubjectKind; subject: string; last?: number | null },
  state: 'UPHELD' | 'DISMISSED',
  actorId: number | null,
): Promise<number> {
  let closed = 0
  for (const { id } of await queryRows(trx, LIST_REPORTERS, [kind, subject]))
    closed += (await queryRows(trx, CLOSE, [id, kind, subject, state, actorId, last])).length
  return closed
}

/**
 * Decides the open reports about some content without hiding it.
 *
 * @param about `last` is the newest report that the moderator has seen; later ones stay open
 * @param state `UPHELD` if an entry was corrected
 * @returns the number of decided reports
 */
export function decideReports(
  db: Database,
  about: { kind: SubjectKind; subject: string; last: number },
  state: 'UPHELD' | 'DISMISSED',
  reason: string,
  origin: Origin,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const closed = await closeReports(trx, about, state, origin.actorId ?? null)
    if (closed > 0)
      await recordEvent(trx, {
        kind: state === 'UPHELD' ? 'reports_upheld' : 'reports_dismissed',
        ...origin,
        details: { what: about.kind, subject: about.subject, reports: closed, reason },
      })
    return closed
  })
}

/** Reports that were decided without hiding the content. */
const CAN_REOPEN = `(state = 'DISMISSED' or state = 'UPHELD' and kind = 'ENTRY')`

/** Lists the accounts whose reports were decided at the time `$3`. */
const LIST_DECIDED = statement('moderation.list_decided').returning<{ accountId: number }>(`
  select account_id as "accountId" from reports
  where kind = $1 and subject = $2 and ${CAN_REOPEN} and decided_at = $3
  order by account_id`)

const REOPEN = statement('moderation.reopen').sql(`
  update reports report set state = 'OPEN', decided_at = null, decided_by = null
  where report.account_id = $1 and report.kind = $2 and report.subject = $3 and ${CAN_REOPEN} and report.decided_at = $4
    and not exists (
      select from reports later
      where later.account_id = $1 and later.kind = $2 and later.subject = $3 and later.state = 'OPEN'
    )
  returning id`)

/**
 * Undoes a dismissal or a correction.
 *
 * @param report any of the reports that were decided together
 * @returns the number of reopened reports
 */
export function reopenReports(
  db: Database,
  { kind, subject, decided_at: at }: Pick<Report, 'kind' | 'subject' | 'decided_at'>,
  origin: Origin,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    let opened = 0
    for (const { accountId } of await queryRows(trx, LIST_DECIDED, [kind, subject, at]))
      opened += (await queryRows(trx, REOPEN, [accountId, kind, subject, at])).length
    if (opened > 0)
      await recordEvent(trx, {
        kind: 'reports_reopened',
        ...origin,
        details: { what: kind, subject, reports: opened },
      })
    return opened
  })
}
