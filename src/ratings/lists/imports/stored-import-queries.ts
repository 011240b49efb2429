import type { Database } from '../../../db/database.ts'
import { queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { ListSource } from '../schemas.ts'

/** Of an import that waits for its reader: seconds. */
const LIFETIME = 3_600

/** What an import did, by outcome, as in the report of the API. */
export type ImportCounts = Record<string, number>

/** A file that a reader has sent, and what is decided of it. It is held for an hour. */
export type StoredImport = {
  id: string
  source: ListSource
  /** Packed with gzip; null once it is taken over. */
  file: Buffer | null
  /** By the number of the row; null of one that is to be left out. */
  chosen: Record<string, number | null>
  /** Null until it is taken over. */
  counts: ImportCounts | null
  undone: UndoResult | null
  expires_at: Date
}

/** What taking an import back did: records put back or deleted, and those that were changed since and stay. */
export type UndoResult = { undone: number; kept: number }

const HOLD_FILE = statement('ratings.hold_file').sql(`
  insert into list_imports (account_id, id, source, file, expires_at)
  values ($1, $2, $3, $4, now() + ${LIFETIME} * interval '1 second')
  on conflict (account_id) do update set
    id = excluded.id, source = excluded.source, file = excluded.file, chosen = '{}',
    counts = null, first_change = null, last_change = null, undone = null,
    created_at = clock_timestamp(), expires_at = excluded.expires_at`)

/** Keeps a file, in the place of an earlier one of the same reader. */
export async function saveUploadedList(
  db: Database,
  accountId: number,
  { id, source, file }: { id: string; source: ListSource; file: Buffer },
): Promise<void> {
  await queryRows(db, HOLD_FILE, [accountId, id, source, file])
}

const FIND = statement('ratings.held_import_find').returning<StoredImport>(`
  select id, source, file, chosen, counts, undone, expires_at
  from list_imports
  where account_id = $1 and ($2::text is null or id = $2) and expires_at > now()`)

/** The import of that id, or whichever the reader has; undefined when it is not there any more. */
export async function findStoredImport(
  db: Database,
  accountId: number,
  id?: string,
): Promise<StoredImport | undefined> {
  const [held] = await queryRows(db, FIND, [accountId, id ?? null])
  return held
}

const CHOOSE = statement('ratings.choose').sql(`
  update list_imports set chosen = case when $4 then chosen - $3 else chosen || jsonb_build_object($3::text, $5::bigint) end
  where account_id = $1 and id = $2 and file is not null`)

/** Keeps what was chosen for a row: a work, null to leave it out, or nothing of it any more. */
export async function saveChosenWork(
  db: Database,
  accountId: number,
  id: string,
  { row, workId }: { row: number; workId: number | null | undefined },
): Promise<void> {
  await queryRows(db, CHOOSE, [accountId, id, String(row), workId === undefined, workId ?? null])
}

const FORGET = statement('ratings.forget').sql(
  'delete from list_imports where account_id = $1 and id = $2',
)

export async function deleteStoredImport(
  db: Database,
  accountId: number,
  id: string,
): Promise<void> {
  await queryRows(db, FORGET, [accountId, id])
}

const LOCK = statement('ratings.lock')
  .returning<LockedImport>(`select id, counts, undone, first_change, last_change from list_imports
  where account_id = $1 and expires_at > now() for update`)

export type LockedImport = Pick<StoredImport, 'id' | 'counts' | 'undone'> & {
  /** The last change of the reader's history before it, and its own last; null until it is taken over. */
  first_change: number | null
  last_change: number | null
}

/** The reader's import, of which nothing else is done until the transaction ends. */
export async function lockStoredImport(
  trx: Database,
  accountId: number,
): Promise<LockedImport | undefined> {
  const [held] = await queryRows(trx, LOCK, [accountId])
  return held
}

const LAST_CHANGE = statement('ratings.last_change').returning<{ id: number }>(
  'select coalesce(max(id), 0) as id from rating_changes where account_id = $1',
)

/** The id of the last change in the reader's history; 0 when there is none. */
export async function findLastChangeId(trx: Database, accountId: number): Promise<number> {
  const [last] = await queryRows(trx, LAST_CHANGE, [accountId])
  return last?.id ?? 0
}

const FINISH = statement('ratings.finish').sql(`
  update list_imports
  set file = null, chosen = '{}', counts = $2, first_change = $3, last_change = $4,
    expires_at = now() + ${LIFETIME} * interval '1 second'
  where account_id = $1`)

/** Keeps what an import did in the place of its file. */
export async function completeStoredImport(
  trx: Database,
  accountId: number,
  {
    counts,
    firstChange,
    lastChange,
  }: { counts: ImportCounts; firstChange: number; lastChange: number },
): Promise<void> {
  await queryRows(trx, FINISH, [accountId, JSON.stringify(counts), firstChange, lastChange])
}

const NOTE_UNDONE = statement('ratings.note_undone').sql(
  'update list_imports set undone = $2 where account_id = $1',
)

export async function saveUndoResult(
  trx: Database,
  accountId: number,
  undone: UndoResult,
): Promise<void> {
  await queryRows(trx, NOTE_UNDONE, [accountId, JSON.stringify(undone)])
}

const CHANGES = statement('ratings.changes').returning<ImportChange>(`
  select
    change.work_id, change.kind, change.action, change.fields,
    not exists (
      select from rating_changes later
      where later.account_id = $1 and later.work_id = change.work_id and later.id > change.id
    ) as "isLatest"
  from rating_changes change
  where change.account_id = $1 and change.id > $2 and change.id <= $3
  order by change.work_id`)

/** A change that an import has made, and whether the record was left as it is since. */
export type ImportChange = {
  work_id: number
  kind: 'galgame' | 'light_novel' | 'manga'
  action: 'CREATED' | 'CHANGED'
  fields: Record<string, { from: unknown; to: unknown }>
  isLatest: boolean
}

export function listImportChanges(
  trx: Database,
  accountId: number,
  { first_change, last_change }: LockedImport,
): Promise<ImportChange[]> {
  return queryRows(trx, CHANGES, [accountId, first_change ?? 0, last_change ?? 0])
}
