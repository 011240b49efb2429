import type { Database } from '../../../db/database.ts'
import { queryRow, queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { ListSource } from '../schemas.ts'

const LIFETIME_SECONDS = 3_600

/** Number of rows per outcome, as in the report of the API. */
export type ImportCounts = Record<string, number>

/** An uploaded list with the user's decisions, or the result of its import. It expires after an hour. */
export type StoredImport = {
  id: string
  source: ListSource
  /** Compressed with gzip; null after the import. */
  file: Buffer | null
  /** Assigned works, keyed by row number; null to omit the row. */
  chosen: Record<string, number | null>
  /** Null before the import. */
  counts: ImportCounts | null
  undone: UndoResult | null
  expires_at: Date
}

/**
 * Number of ratings that were restored or deleted, and number of ratings that were skipped because they were edited
 * after the import.
 */
export type UndoResult = { undone: number; kept: number }

const SAVE = statement('ratings.stored_import_save').sql(`
  insert into list_imports (account_id, id, source, file, expires_at)
  values ($1, $2, $3, $4, now() + ${LIFETIME_SECONDS} * interval '1 second')
  on conflict (account_id) do update set
    id = excluded.id, source = excluded.source, file = excluded.file, chosen = '{}',
    counts = null, first_change = null, last_change = null, undone = null,
    created_at = excluded.created_at, expires_at = excluded.expires_at`)

/** Stores an uploaded file, replacing any earlier file from the same user. */
export const saveUploadedList = (
  db: Database,
  accountId: number,
  { id, source, file }: { id: string; source: ListSource; file: Buffer },
) => queryRows(db, SAVE, [accountId, id, source, file])

const FIND = statement('ratings.stored_import_find').returning<StoredImport>(`
  select id, source, file, chosen, counts, undone, expires_at
  from list_imports
  where account_id = $1 and ($2::text is null or id = $2) and expires_at > now()`)

/** Finds the user's import, if it has this id and has not expired. */
export const findStoredImport = (db: Database, accountId: number, id?: string) =>
  queryRow(db, FIND, [accountId, id ?? null])

const CHOOSE = statement('ratings.choose').sql(`
  update list_imports set chosen = case when $4 then chosen - $3 else chosen || $5::jsonb end
  where account_id = $1 and id = $2 and file is not null`)

/**
 * Stores the decision for a row.
 *
 * @param workId null to omit the row, undefined to reset the decision
 */
export const saveChosenWork = (
  db: Database,
  accountId: number,
  id: string,
  { row, workId }: { row: number; workId: number | null | undefined },
) =>
  queryRows(db, CHOOSE, [
    accountId,
    id,
    String(row),
    workId === undefined,
    JSON.stringify({ [row]: workId ?? null }),
  ])

const DELETE = statement('ratings.stored_import_delete').sql(
  'delete from list_imports where account_id = $1 and id = $2',
)

export const deleteStoredImport = (db: Database, accountId: number, id: string) =>
  queryRows(db, DELETE, [accountId, id])

const LOCK = statement('ratings.stored_import_lock')
  .returning<LockedImport>(`select id, counts, undone, first_change, last_change from list_imports
  where account_id = $1 and expires_at > now() for update`)

type LockedImport = Pick<StoredImport, 'id' | 'counts' | 'undone'> & {
  /** Latest change in the history before the import, and latest change by the import; null before the import. */
  first_change: number | null
  last_change: number | null
}

export const lockStoredImport = (trx: Database, accountId: number) =>
  queryRow(trx, LOCK, [accountId])

const COMPLETE = statement('ratings.stored_import_complete').sql(`
  update list_imports
  set file = null, chosen = '{}', counts = $2, first_change = $3, last_change = $4,
    expires_at = now() + ${LIFETIME_SECONDS} * interval '1 second'
  where account_id = $1`)

/** Replaces the file of an import with its result. */
export const completeStoredImport = (
  trx: Database,
  accountId: number,
  {
    counts,
    firstChange,
    lastChange,
  }: { counts: ImportCounts; firstChange: number; lastChange: number },
) => queryRows(trx, COMPLETE, [accountId, JSON.stringify(counts), firstChange, lastChange])

const SAVE_UNDO = statement('ratings.stored_import_save_undo').sql(
  'update list_imports set undone = $2 where account_id = $1',
)

export const saveUndoResult = (trx: Database, accountId: number, undone: UndoResult) =>
  queryRows(trx, SAVE_UNDO, [accountId, JSON.stringify(undone)])
