import { RATING_FIELDS, type RatingChange } from '../fields.ts'
import { PROGRESS_FIELDS, type ProgressChange } from '../progress/fields.ts'
import { withWorkRefs, type WorkRef } from '../../catalog/work-refs.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { offsetAndLimit, type Page } from '../../http/wire/requests/paging.ts'
import { lockUser } from './queries.ts'

export type RatingHistoryRow = {
  id: number
  kind: WorkKind
  work_id: number
  work: WorkRef | null
  action: 'CREATED' | 'CHANGED' | 'DELETED'
  client_id: string | null
  fields: Record<string, { from: unknown; to: unknown }>
  changed_at: Date
}

const MATCHING = `
  from rating_changes change
  where change.account_id = $1 and ($2::bigint is null or change.work_id = $2) and ($3::text is null or change.kind = $3)`

const LIST = statement('ratings.history_list').returning<Omit<RatingHistoryRow, 'work'>>(`
  select
    change.id, change.kind, change.work_id, change.action, change.client_id, change.fields, change.changed_at
  ${MATCHING}
  order by change.id desc
  offset $4 limit $5`)

const COUNT = statement('ratings.history_count').returning<{ total: number }>(
  `select count(*) as total ${MATCHING}`,
)

/**
 * Lists one page of a user's changes to ratings, newest first.
 *
 * @param work restricts the list to one work
 */
export async function listRatingHistory(
  db: Database,
  accountId: number,
  work: { kind: WorkKind; workId: number } | undefined,
  page: Page,
): Promise<{ entries: RatingHistoryRow[]; total: number }> {
  const filter = [accountId, work?.workId ?? null, work?.kind ?? null] as const
  const { offset, limit } = offsetAndLimit(page)
  const entries = await queryRows(db, LIST, [...filter, offset, limit])
  const counted = await queryRow(db, COUNT, filter)
  return { entries: await withWorkRefs(db, entries), total: counted?.total ?? 0 }
}

/** Change to a rating, and whether it is the latest one. */
export type PastChange = Pick<
  RatingHistoryRow,
  'id' | 'kind' | 'work_id' | 'action' | 'fields' | 'changed_at'
> & { isLatest: boolean }

const replacedValues = (fields: PastChange['fields'], names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const change = fields[name]
      return change ? [[name, change.from]] : []
    }),
  )

/** Returns the values of the rating that a change replaced. */
export const valuesBefore = ({ fields }: Pick<PastChange, 'fields'>) =>
  // as: the history has the values of exactly these fields
  replacedValues(fields, RATING_FIELDS) as RatingChange

/** Returns the values of the progress that a change replaced. The text of a note may have been erased since. */
export function progressBefore({ fields }: Pick<PastChange, 'fields'>): ProgressChange {
  // as: the history has the values of exactly these fields
  const { private_note: note, ...others } = replacedValues(
    fields,
    PROGRESS_FIELDS,
  ) as ProgressChange
  return { ...others, ...(typeof note === 'string' && { private_note: note }) }
}

const PAST_CHANGES = `
  select
    change.id, change.kind, change.work_id, change.action, change.fields, change.changed_at,
    not exists (
      select from rating_changes later
      where later.account_id = $1 and later.work_id = change.work_id and later.id > change.id
    ) as "isLatest"
  from rating_changes change
  where change.account_id = $1`

const FIND = statement('ratings.history_find').returning<PastChange>(
  `${PAST_CHANGES} and change.id = any($2::bigint[]) order by change.work_id, change.id`,
)

/** Finds a user's changes by their ids, ordered by work. */
export const findChanges = (db: Database, accountId: number, ids: number[]) =>
  queryRows(db, FIND, [accountId, ids])

const RANGE = statement('ratings.history_range').returning<PastChange>(
  `${PAST_CHANGES} and change.id > $2 and change.id <= $3 order by change.work_id`,
)

/** Lists a user's changes after `first` and up to `last`, ordered by work. */
export const listChangesBetween = (db: Database, accountId: number, first: number, last: number) =>
  queryRows(db, RANGE, [accountId, first, last])

const LOCK_CHANGED = statement('ratings.lock_changed').sql(`
  select rating.id from ratings rating
  where rating.account_id = $1
    and rating.work_id in (
      select change.work_id from rating_changes change where change.account_id = $1 and change.id = any($2::bigint[])
    )
  order by rating.id
  for no key update of rating`)

/**
 * Finds changes to undo, and locks their ratings until the transaction ends.
 *
 * @returns undefined if a change does not exist or its rating has changed since
 */
export async function lockLatestChanges(
  trx: Database,
  accountId: number,
  ids: number[],
): Promise<PastChange[] | undefined> {
  await lockUser(trx, accountId)
  await queryRows(trx, LOCK_CHANGED, [accountId, ids])
  const changes = await findChanges(trx, accountId, ids)
  const areLatest = changes.length === ids.length && changes.every(({ isLatest }) => isLatest)
  return areLatest ? changes : undefined
}

const LAST = statement('ratings.history_last').returning<{ id: number }>(
  'select coalesce(max(id), 0) as id from rating_changes where account_id = $1',
)

/** Returns the id of the user's latest change, or 0. */
export async function findLastChangeId(db: Database, accountId: number): Promise<number> {
  return (await queryRow(db, LAST, [accountId]))?.id ?? 0
}

const LATER = statement('ratings.history_later').returning<
  Pick<PastChange, 'id' | 'kind' | 'work_id'>
>(`
  select change.id, change.kind, change.work_id from rating_changes change
  where change.account_id = $1 and change.work_id = any($2::bigint[]) and change.id > $3
  order by change.id`)

/** Runs `change` while the user's ratings are locked, and returns the changes it made to ratings of the works. */
export async function collectChanges(
  trx: Database,
  accountId: number,
  workIds: number[],
  change: () => Promise<unknown>,
): Promise<Pick<PastChange, 'id' | 'kind' | 'work_id'>[]> {
  await lockUser(trx, accountId)
  const last = await findLastChangeId(trx, accountId)
  await change()
  return queryRows(trx, LATER, [accountId, workIds, last])
}

/** Returns the id of the first change to a work's record after a change, if there is one. */
export const findChangeAfter = async (
  trx: Database,
  accountId: number,
  workId: number,
  after: number,
): Promise<number | undefined> => (await queryRows(trx, LATER, [accountId, [workId], after]))[0]?.id
