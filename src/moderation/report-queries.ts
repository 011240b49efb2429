import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import type { TableRow } from '../db/tables.ts'
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

const LIST_QUEUE = statement('moderation.list_queue').returning<Omit<QueuedSubject, 'owner_name'>>(`
  select
    min(id) as id, kind, subject, max(place) as place, max(owner_id) as owner_id, sum(reports)::bigint as reports,
    array_agg(reason order by reason) as reasons, min(since) as since
  from (
    select
      kind, subject, reason, min(id) as id, max(place) as place, max(owner_id) as owner_id, count(*) as reports,
      min(created_at) as since
    from reports
    where state = 'OPEN'
    group by kind, subject, reason
  ) queued
  group by kind, subject
  order by kind = 'ENTRY', reports desc, id
  limit $1 offset $2`)

const COUNT_QUEUE = statement('moderation.count_queue').returning<{ amount: number }>(`
  select count(*) as amount
  from (select kind, subject from reports where state = 'OPEN' group by kind, subject) queued`)

const LIST_NAMES = statement('moderation.list_names').returning<{ id: number; name: string }>(
  'select id, name from accounts where id = any($1::bigint[])',
)

/** Returns the names of accounts by id. */
async function namesOf(db: Database, ids: (number | null)[]): Promise<Map<number, string>> {
  const rows = await queryRows(db, LIST_NAMES, [ids.filter((id) => id !== null)])
  return new Map(rows.map(({ id, name }) => [id, name]))
}

const nameIn = (names: Map<number, string>, id: number | null) =>
  id === null ? null : (names.get(id) ?? null)

/** Returns the content with open reports, most reported first, and entries with wrong data last. */
export async function listReportQueue(
  db: Database,
  { page, pageSize }: { page: number; pageSize: number },
): Promise<{ items: QueuedSubject[]; total: number }> {
  const [items, [counted]] = await Promise.all([
    queryRows(db, LIST_QUEUE, [pageSize, (page - 1) * pageSize]),
    queryRows(db, COUNT_QUEUE, []),
  ])
  const names = await namesOf(
    db,
    items.map((item) => item.owner_id),
  )
  return {
    items: items.map((item) => ({ ...item, owner_name: nameIn(names, item.owner_id) })),
    total: counted?.amount ?? 0,
  }
}

/** A report as moderators see it. */
export type Report = OwnReport & {
  subject: string
  owner_id: number | null
  owner_name: string | null
  reporter: string
  decided_by: number | null
}

const REPORT = `select ${OWN}, subject, account_id, owner_id, decided_by from reports`

type ReportRow = Omit<Report, 'reporter' | 'owner_name'> & { account_id: number }

const FIND_REPORT = statement('moderation.find_report').returning<ReportRow>(
  `${REPORT} where id = $1`,
)
const LIST_REPORTS_OF = statement('moderation.list_reports_of').returning<ReportRow>(
  `${REPORT} where kind = $1 and subject = $2 order by id desc limit 50`,
)

async function withNames(db: Database, rows: ReportRow[]): Promise<Report[]> {
  const names = await namesOf(
    db,
    rows.flatMap((row) => [row.account_id, row.owner_id]),
  )
  return rows.map(({ account_id: reporterId, ...report }) => ({
    ...report,
    reporter: names.get(reporterId) ?? '',
    owner_name: nameIn(names, report.owner_id),
  }))
}

export async function findReport(db: Database, id: number): Promise<Report | undefined> {
  const [report] = await withNames(db, await queryRows(db, FIND_REPORT, [id]))
  return report
}

/** Returns reports about the same content, newest first. */
export const listReportsOf = async (
  db: Database,
  { kind, subject }: { kind: SubjectKind; subject: string },
): Promise<Report[]> => withNames(db, await queryRows(db, LIST_REPORTS_OF, [kind, subject]))
