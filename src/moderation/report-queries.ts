import { recordEvent, type Origin } from '../audit/events.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import type { TableRow } from '../db/tables.ts'
import { inTransaction } from '../db/transaction.ts'
import {
  MAX_NOTE_LENGTH,
  MAX_REPORTS_PER_HOUR,
  type ReportReason,
  type SubjectKind,
} from './reasons.ts'
import { findSubject, type SubjectReference } from './subject-queries.ts'

export type NewReport = { named: SubjectReference; reason: ReportReason; note: string }

/** A report as its author sees it. */
export type OwnReport = {
  kind: SubjectKind
  reason: ReportReason
  state: 'OPEN' | 'UPHELD' | 'DISMISSED'
} & Pick<TableRow<'reports'>, 'id' | 'place' | 'note' | 'created_at' | 'decided_at'>

export type ReportOutcome =
  | { outcome: 'created' | 'known'; report: OwnReport }
  /** `missing` if the content does not exist, `own` if it belongs to the user. */
  | { outcome: 'missing' | 'own' }
  | { outcome: 'too_many'; seconds: number }

const OWN = 'id, kind, place, reason, note, state, created_at, decided_at'

/** Time, in seconds, after which a user whose open report has no room for another note may try again. */
const FULL_NOTE_SECONDS = 3_600

const CREATE = statement('moderation.create_report').returning<CreatedRow>(`
  select kept.outcome, kept.seconds, ${OWN.replaceAll(/\w+/g, '(kept.report).$&')}
  from keep_report($1, $2, $3, $4, $5, $6, $7, ${MAX_REPORTS_PER_HOUR}) kept`)

type CreatedRow = OwnReport & {
  outcome: 'created' | 'known' | 'too_many' | 'missing'
  seconds: number | null
}

const ADD_NOTE = statement('moderation.add_note').returning<OwnReport>(`
  update reports set note = note || E'\\n\\n' || $3
  where account_id = $1 and id = $2 and state = 'OPEN' and char_length(note) + char_length($3) + 2 <= ${MAX_NOTE_LENGTH}
  returning ${OWN}`)

/**
 * Creates a report, or returns the user's open report about the same content. A further note about an entry is added to
 * the open report, because it may describe another error. A single statement locks the user's row,
 * so that concurrent requests cannot exceed the hourly limit and the lock is never held across a round trip.
 */
export async function createReport(
  db: Database,
  accountId: number,
  { named, reason, note }: NewReport,
): Promise<ReportOutcome> {
  const about = await findSubject(db, named)
  if (!about) return { outcome: 'missing' }
  if (about.owner_id === accountId) return { outcome: 'own' }
  const { kind, subject, owner_id: ownerId, place } = about
  const created = await queryRow(db, CREATE, [
    accountId,
    kind,
    subject,
    ownerId,
    place,
    reason,
    note,
  ])
  if (!created || created.outcome === 'missing') return { outcome: 'missing' }
  const { outcome, seconds, ...report } = created
  if (outcome === 'too_many') return { outcome, seconds: seconds ?? 1 }
  if (outcome !== 'known' || kind !== 'ENTRY' || report.note.includes(note))
    return { outcome, report }
  const extended = await queryRow(db, ADD_NOTE, [accountId, report.id, note])
  return extended
    ? { outcome, report: extended }
    : { outcome: 'too_many', seconds: FULL_NOTE_SECONDS }
}

const LIST_OWN = statement('moderation.report_list_own').returning<OwnReport>(
  `select ${OWN} from reports where account_id = $1 order by id desc limit $2 offset $3`,
)
const COUNT_OWN = statement('moderation.count_own').returning<{ amount: number }>(
  'select count(*) as amount from reports where account_id = $1',
)

/** Returns a user's reports, newest first. */
export async function listOwnReports(
  db: Database,
  accountId: number,
  { page, pageSize }: { page: number; pageSize: number },
): Promise<{ items: OwnReport[]; total: number }> {
  const [items, [counted]] = await Promise.all([
    queryRows(db, LIST_OWN, [accountId, pageSize, (page - 1) * pageSize]),
    queryRows(db, COUNT_OWN, [accountId]),
  ])
  return { items, total: counted?.amount ?? 0 }
}

/** Open reports about the same content, grouped. */
export type QueuedSubject = {
  /** Id of the first report. */
  id: number
  kind: SubjectKind
  subject: string
  place: string
  owner_id: number | null
  owner_name: string | null
  reports: number
  reasons: ReportReason[]
  since: Date
}

const LIST_QUEUE = statement('moderation.list_queue').returning<QueuedSubject>(`
  select queued.*, account.name as owner_name
  from (
    select
      min(id) as id, kind, subject, max(place) as place, max(owner_id) as owner_id, count(*) as reports,
      array_agg(distinct reason) as reasons, min(created_at) as since
    from reports
    where state = 'OPEN'
    group by kind, subject
  ) queued
  left join accounts account on account.id = queued.owner_id
  order by queued.kind = 'ENTRY', queued.reports desc, queued.id
  limit $1 offset $2`)

const COUNT_QUEUE = statement('moderation.count_queue').returning<{ amount: number }>(
  `select count(distinct (kind, subject)) as amount from reports where state = 'OPEN'`,
)

/** Returns the content with open reports, most reported first, and entries with wrong data last. */
export async function listReportQueue(
  db: Database,
  { page, pageSize }: { page: number; pageSize: number },
): Promise<{ items: QueuedSubject[]; total: number }> {
  const [items, [counted]] = await Promise.all([
    queryRows(db, LIST_QUEUE, [pageSize, (page - 1) * pageSize]),
    queryRows(db, COUNT_QUEUE, []),
  ])
  return { items, total: counted?.amount ?? 0 }
}

/** A report as moderators see it. */
export type Report = OwnReport & {
  subject: string
  owner_id: number | null
  owner_name: string | null
  reporter: string
  decided_by: number | null
}

const REPORT = `
  select
    ${OWN.split(', ')
      .map((column) => `report.${column}`)
      .join(', ')},
    report.subject, report.owner_id, report.decided_by, reporter.name as reporter, owner.name as owner_name
  from reports report
  join accounts reporter on reporter.id = report.account_id
  left join accounts owner on owner.id = report.owner_id`

const FIND_REPORT = statement('moderation.find_report').returning<Report>(
  `${REPORT} where report.id = $1`,
)
const LIST_REPORTS_OF = statement('moderation.list_reports_of').returning<Report>(
  `${REPORT} where report.kind = $1 and report.subject = $2 order by report.id desc limit 50`,
)

export const findReport = (db: Database, id: number) => queryRow(db, FIND_REPORT, [id])

/** Returns reports about the same content, newest first. */
export const listReportsOf = (
  db: Database,
  { kind, subject }: { kind: SubjectKind; subject: string },
) => queryRows(db, LIST_REPORTS_OF, [kind, subject])

const DECIDE = statement('moderation.decide').sql(`
  update reports set state = $4, decided_at = now(), decided_by = $3
  where kind = $1 and subject = $2 and state = 'OPEN' and id <= $5
  returning id`)

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
    const { length: closed } = await queryRows(trx, DECIDE, [
      about.kind,
      about.subject,
      origin.actorId ?? null,
      state,
      about.last,
    ])
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

const REOPEN = statement('moderation.reopen').sql(`
  update reports report set state = 'OPEN', decided_at = null, decided_by = null
  where kind = $1 and subject = $2 and ${CAN_REOPEN}
    and decided_at = (select decided_at from reports where id = $3 and ${CAN_REOPEN})
    and not exists (
      select from reports later
      where later.account_id = report.account_id and later.kind = $1 and later.subject = $2 and later.state = 'OPEN'
    )
  returning id`)

/**
 * Undoes a dismissal or a correction, identified by one of its reports.
 *
 * @returns the number of reopened reports
 */
export function reopenReports(
  db: Database,
  { id, kind, subject }: { id: number; kind: SubjectKind; subject: string },
  origin: Origin,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const opened = await queryRows(trx, REOPEN, [kind, subject, id])
    if (opened.length > 0)
      await recordEvent(trx, {
        kind: 'reports_reopened',
        ...origin,
        details: { what: kind, subject, reports: opened.length },
      })
    return opened.length
  })
}
