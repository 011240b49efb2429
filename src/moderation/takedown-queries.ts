import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import type { TableRow } from '../db/tables.ts'
import type { ReportReason, SubjectKind } from './reasons.ts'
import type { HideableSubject } from './subject-queries.ts'

/** Content that a moderator has hidden, and possibly restored since. */
export type Takedown = HideableSubject &
  Omit<
    TableRow<'takedowns'>,
    keyof HideableSubject | 'reason' | 'appeal_decided_by' | 'restored_by'
  > & { reason: ReportReason; owner_name: string | null; hidden_by_name: string | null }

const TAKEDOWN = `
  select
    takedown.id, takedown.kind, takedown.subject, takedown.owner_id, takedown.place, takedown.reason, takedown.note,
    takedown.previous, takedown.hidden_at, takedown.hidden_by, takedown.appeal, takedown.appealed_at,
    takedown.appeal_decided_at, takedown.appeal_answer, takedown.restored_at,
    owner.name as owner_name, moderator.name as hidden_by_name
  from takedowns takedown
  left join accounts owner on owner.id = takedown.owner_id
  left join accounts moderator on moderator.id = takedown.hidden_by`

const FIND = statement('moderation.find').returning<Takedown>(`${TAKEDOWN} where takedown.id = $1`)
const FIND_OF = statement('moderation.find_of').returning<Takedown>(`
  ${TAKEDOWN}
  where takedown.kind = $1 and takedown.subject = $2 and takedown.restored_at is null`)
const LIST_OWN = statement('moderation.takedown_list_own').returning<Takedown>(
  `${TAKEDOWN} where takedown.owner_id = $1 order by takedown.id desc limit 100`,
)
const OPEN_APPEAL =
  'takedown.appealed_at is not null and takedown.appeal_decided_at is null and takedown.restored_at is null'
const LIST_APPEALS = statement('moderation.list_appeals').returning<Takedown>(
  `${TAKEDOWN} where ${OPEN_APPEAL} order by takedown.appealed_at, takedown.id limit 100`,
)
const LIST_ALL = statement('moderation.list_all').returning<Takedown>(
  `${TAKEDOWN} where takedown.id < $1 order by takedown.id desc limit $2`,
)

export const findTakedown = (db: Database, id: number) => queryRow(db, FIND, [id])

/** Returns the takedown that currently hides some content. */
export const findActiveTakedown = (
  db: Database,
  { kind, subject }: { kind: SubjectKind; subject: string },
) => queryRow(db, FIND_OF, [kind, subject])

/** Returns the takedowns of a user's content, newest first. */
export const listOwnTakedowns = (db: Database, accountId: number) =>
  queryRows(db, LIST_OWN, [accountId])

/** Returns takedowns with an open appeal, oldest appeal first. */
export const listAppeals = (db: Database) => queryRows(db, LIST_APPEALS, [])

/** Returns takedowns, newest first. @param before id of the last takedown on the previous page */
export const listTakedowns = (
  db: Database,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number | undefined; limit: number },
): Promise<Takedown[]> => queryRows(db, LIST_ALL, [before, limit])
