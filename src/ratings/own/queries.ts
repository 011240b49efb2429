import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { isForeignKeyViolation } from '../../db/constraint-errors.ts'
import { inTransaction } from '../../db/transaction.ts'
import { whyMissing } from '../../catalog/merged.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import type { toRatedMedia } from '../../http/wire/media.ts'
import type { RatingChange, RatingFields } from '../fields.ts'
import { RATING_COLUMNS } from './sql-fragments.ts'
import { DELETE_RATING, DELETE_RATINGS, saveStatement } from './write-statements.ts'

/** A record as it is stored. */
export type Rating = {
  id: number
  created_at: Date
  updated_at: Date
  like_count: number
  dislike_count: number
} & RatingFields

/** The work of a record as the catalog refers to it (§2.2). */
export type WorkRef = {
  id: number
  name: string
  trans_name: string | null
  image: Parameters<typeof toRatedMedia>[0] | null
}

export type ListedRating = Rating & { kind: WorkKind; work_id: number; work: WorkRef }

/** Whose record of what: the account comes from the token and from nowhere else (§1). */
export type RatingKey = { accountId: number; kind: WorkKind; workId: number }

/**
 * Creates the reader's record of a work, or changes the fields given and leaves the rest.
 *
 * @param clientId the app that writes, for the history; null: the reader, on a page of ours
 * @param change null clears a score or the status; a missing field keeps what is stored
 * @returns the whole record as JSON, as it goes over the wire (§2.12)
 * @throws {ApiError} `COMMON_NOT_FOUND` or `WIKI_RESOURCE_MERGED` when there is no such work
 */
export async function saveRating(
  db: Database,
  { accountId, kind, workId }: RatingKey,
  clientId: string | null,
  change: RatingChange,
): Promise<string> {
  // In a transaction nothing can be asked once a statement has failed: there the work is held first.
  if (db.isTransaction) await lockWork(db, kind, workId)
  try {
    const { save, parameters } = saveStatement(kind, change)
    const [saved] = await queryRows(db, save, [accountId, workId, kind, clientId, ...parameters])
    if (saved) return saved.record
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
  }
  throw await whyMissing(db, kind, workId, true)
}

// An import of the same reader in another process may hold the lock for long.
const HOLD_READER = statement('ratings.own_hold_reader').sql(`
  select id from accounts
  where id = $1 and set_config('lock_timeout', '3s', true) is not null
  for no key update`)

/** Holds off, until the transaction ends, whatever else would save a record of the reader. */
export async function lockUser(trx: Database, accountId: number): Promise<void> {
  await queryRows(trx, HOLD_READER, [accountId])
}

/**
 * Saves a change that is computed from the stored record while the record is locked.
 *
 * @param changeOf computes the change from the stored record, `undefined` for a new one; an error cancels the save
 * @throws {ApiError} as `saveRating`
 */
export function changeRating(
  db: Database,
  key: RatingKey,
  changeOf: (stored: Rating | undefined) => RatingChange,
): Promise<string> {
  return inTransaction(db, async (trx) => {
    await lockUser(trx, key.accountId)
    return saveRating(trx, key, null, changeOf(await findRating(trx, key)))
  })
}

const HOLD_WORK = statement('ratings.hold_work').returning<{ id: number }>(
  'select work.id from works work where work.id = $1 and work.kind = $2 for key share',
)

/** Holds a work until the transaction ends. @throws {ApiError} when there is none, as `saveRating` does */
async function lockWork(trx: Database, kind: WorkKind, workId: number): Promise<void> {
  const [work] = await queryRows(trx, HOLD_WORK, [workId, kind])
  if (!work) throw await whyMissing(trx, kind, workId, true)
}

const FIND = statement('ratings.own_find').returning<Rating>(`
  select ${RATING_COLUMNS} from ratings rating
  where rating.account_id = $1 and rating.work_id = $2 and rating.kind = $3`)

/** The reader's record of a work, or undefined when there is none. */
export async function findRating(
  db: Database,
  { accountId, kind, workId }: RatingKey,
): Promise<Rating | undefined> {
  const [rating] = await queryRows(db, FIND, [accountId, workId, kind])
  return rating
}

/** Deletes the reader's records of some works, in one statement. */
export async function deleteRatings(
  db: Database,
  accountId: number,
  works: { kind: WorkKind; id: number }[],
  clientId: string | null,
): Promise<void> {
  const [ids, kinds] = [works.map(({ id }) => id), works.map(({ kind }) => kind)]
  await queryRows(db, DELETE_RATINGS, [accountId, ids, kinds, clientId])
}

/** Deletes the reader's record of a work; that there is none is no fault. */
export async function deleteRating(
  db: Database,
  { accountId, kind, workId }: RatingKey,
  clientId: string | null,
): Promise<void> {
  await queryRows(db, DELETE_RATING, [accountId, workId, kind, clientId])
}
