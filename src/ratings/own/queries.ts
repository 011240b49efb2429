import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { TableRow } from '../../db/tables.ts'
import { isForeignKeyViolation } from '../../db/constraint-errors.ts'
import { missingEntryError } from '../../catalog/merged.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import type { RATING_FACTS, RatingChange, RatingFields } from '../fields.ts'
import { RATING_COLUMNS } from './sql-fragments.ts'
import { DELETE_RATING, DELETE_RATINGS, saveStatement } from './write-statements.ts'

export type Rating = RatingFields & Pick<TableRow<'ratings'>, (typeof RATING_FACTS)[number]>

/** Identifies a rating. The account must come from the token (§1). */
export type RatingKey = { accountId: number; kind: WorkKind; workId: number }

/**
 * Creates the user's rating of a work, or changes the given fields of the existing rating.
 *
 * @param clientId app to store in the history; null if the user makes the change on a page of the site
 * @param change null clears a score or the status; an omitted field keeps its value
 * @returns the whole rating as JSON (§2.12)
 * @throws {ApiError} `COMMON_NOT_FOUND` or `WIKI_RESOURCE_MERGED` if there is no such work
 */
export async function saveRating(
  db: Database,
  { accountId, kind, workId }: RatingKey,
  clientId: string | null,
  change: RatingChange,
): Promise<string> {
  // The work is checked before saving, because a failed statement would abort the caller's transaction.
  if (db.isTransaction) await lockWork(db, kind, workId)
  try {
    const { save, parameters } = saveStatement(kind, change)
    const saved = await queryRow(db, save, [accountId, workId, kind, clientId, ...parameters])
    if (saved) return saved.record
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
  }
  throw await missingEntryError(db, kind, workId, true)
}

// An import by the same user in another process may hold the lock for a long time.
const LOCK_USER = statement('ratings.lock_user').sql(`
  select id from account_refs
  where id = $1 and set_config('lock_timeout', '3s', true) is not null
  for no key update`)

/** Blocks other changes to the user's ratings and progress until the transaction ends. */
export const lockUser = (trx: Database, accountId: number) => queryRows(trx, LOCK_USER, [accountId])

const LOCK_WORK = statement('ratings.lock_work').sql(
  'select work.id from work_refs work where work.id = $1 and work.kind = $2 for key share',
)

/**
 * Prevents a work's deletion until the transaction ends.
 *
 * @throws {ApiError} if there is no such work
 */
async function lockWork(trx: Database, kind: WorkKind, workId: number): Promise<void> {
  if (!(await queryRow(trx, LOCK_WORK, [workId, kind])))
    throw await missingEntryError(trx, kind, workId, true)
}

const FIND = statement('ratings.own_find').returning<Rating>(`
  select ${RATING_COLUMNS} from ratings rating
  where rating.account_id = $1 and rating.work_id = $2 and rating.kind = $3`)

export const findRating = (db: Database, { accountId, kind, workId }: RatingKey) =>
  queryRow(db, FIND, [accountId, workId, kind])

/** Deletes the user's ratings of several works, as a page of the site does. Works without a rating are ignored. */
export async function deleteRatings(
  db: Database,
  accountId: number,
  works: { kind: WorkKind; id: number }[],
): Promise<void> {
  const [ids, kinds] = [works.map(({ id }) => id), works.map(({ kind }) => kind)]
  await queryRows(db, DELETE_RATINGS, [accountId, ids, kinds, null])
}

export async function deleteRating(
  db: Database,
  { accountId, kind, workId }: RatingKey,
  clientId: string | null,
): Promise<void> {
  await queryRows(db, DELETE_RATING, [accountId, workId, kind, clientId])
}
