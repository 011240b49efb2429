import { gzip } from 'node:zlib'
import { promisify } from 'node:util'
import type { Database } from '../../../db/database.ts'
import { inLongTransaction } from '../../../db/server/long-transaction.ts'
import { RATING_FIELDS, type RatingChange } from '../../fields.ts'
import { deleteRatings } from '../../own/queries.ts'
import { withChosenWorks } from './chosen-works.ts'
import {
  findLastChangeId,
  completeStoredImport,
  listImportChanges,
  lockStoredImport,
  saveUndoResult,
  type StoredImport,
  type ImportChange,
  type UndoResult,
} from './stored-import-queries.ts'
import { findStoredRatings, lockRatings, saveImportedRatings } from './import-queries.ts'
import { importList, MAX_STATEMENT_MS } from './import-list.ts'
import type { ImportQueue } from './import-queue.ts'
import type { ListFile } from '../formats/list-row.ts'
import type { RowReport } from './outcome.ts'
import { readListFile } from '../formats/read-list-file.ts'
import { countRowOutcomes } from './report.ts'
import type { ValidateRow } from './row-validator.ts'

const pack = promisify(gzip)

/** A file as it is kept: packed, unless it came so. */
export const compressFile = async (bytes: Buffer): Promise<Buffer> =>
  bytes[0] === 0x1f && bytes[1] === 0x8b ? bytes : pack(bytes)

/** With what held imports are worked on. */
export type StoredImportOptions = {
  accountId: number
  overwrite: boolean
  validateRow: ValidateRow
  imports: ImportQueue
}

/** What a held import would do. */
export type PlannedImport = { file: ListFile; reports: RowReport[] }

/** The rows of a held import with the works that were chosen, and what becomes of them. */
export async function planStoredImport(
  db: Database,
  held: StoredImport,
  options: StoredImportOptions,
): Promise<PlannedImport> {
  const file = await rowsOf(held)
  return {
    file,
    reports: await importList(db, file.rows, { ...options, clientId: null, dryRun: true }),
  }
}

async function rowsOf({ source, file, chosen }: StoredImport): Promise<ListFile> {
  if (!file) throw new Error('The import was taken over, and its file is gone')
  const read = await readListFile(source, file)
  const works = Object.entries(chosen).flatMap(([row, workId]): [number, number][] =>
    workId === null ? [] : [[Number(row), workId]],
  )
  return { ...read, rows: withChosenWorks(read.rows, new Map(works)) }
}

/** Somebody has sent another file, or it was long ago. */
export class ImportGoneError extends Error {
  override name = 'ImportGoneError'
}

/**
 * Writes a held import and keeps what it did, in one transaction: asked for again, it does nothing more.
 *
 * @throws {ImportGoneError} when it is not the reader's any more
 */
export async function runStoredImport(
  db: Database,
  held: StoredImport,
  options: StoredImportOptions,
): Promise<void> {
  if (held.counts) return
  const { accountId } = options
  const file = await rowsOf(held)
  await importList(db, file.rows, {
    ...options,
    clientId: null,
    dryRun: false,
    async around(trx, write) {
      const locked = await lockStoredImport(trx, accountId)
      if (locked?.id !== held.id) throw new ImportGoneError()
      if (locked.counts) return []
      const firstChange = await findLastChangeId(trx, accountId)
      const reports = await write()
      const lastChange = await findLastChangeId(trx, accountId)
      await completeStoredImport(trx, accountId, {
        counts: countRowOutcomes(reports),
        firstChange,
        lastChange,
      })
      return reports
    },
  })
}

/**
 * Takes a whole import back, in one transaction and once: what was new goes, what was changed is as before. A record that was
 * changed since stays as it is.
 *
 * @throws {ImportGoneError} when it is not the reader's any more, or was not taken over
 */
export function undoStoredImport(
  db: Database,
  id: string,
  { accountId, imports }: Pick<StoredImportOptions, 'accountId' | 'imports'>,
): Promise<UndoResult> {
  return imports.enqueue(accountId, () =>
    inLongTransaction(db, MAX_STATEMENT_MS, async (trx) => {
      await lockRatings(trx, accountId)
      const locked = await lockStoredImport(trx, accountId)
      if (locked?.id !== id || !locked.counts) throw new ImportGoneError()
      if (locked.undone) return locked.undone
      const changes = await listImportChanges(trx, accountId, locked)
      const last = changes.filter(({ isLatest }) => isLatest)
      await restoreRatings(trx, accountId, last)
      const undone = { undone: last.length, kept: changes.length - last.length }
      await saveUndoResult(trx, accountId, undone)
      return undone
    }),
  )
}

/** Works of one statement. */
const BATCH = 250

async function restoreRatings(
  trx: Database,
  accountId: number,
  changes: ImportChange[],
): Promise<void> {
  for (let start = 0; start < changes.length; start += BATCH) {
    const batch = changes.slice(start, start + BATCH)
    const created = batch.filter(({ action }) => action === 'CREATED')
    const changed = batch.filter(({ action }) => action === 'CHANGED')
    await deleteRatings(
      trx,
      accountId,
      created.map(({ kind, work_id: workId }) => ({ kind, id: workId })),
      null,
    )
    const recorded = await findStoredRatings(
      trx,
      accountId,
      changed.map(({ work_id: workId }) => workId),
    )
    const writes = changed.flatMap(({ work_id: workId, kind, fields }) => {
      const now = recorded.get(workId)
      return now ? [{ work: { workId, kind }, rating: { ...now, ...valuesBefore(fields) } }] : []
    })
    await saveImportedRatings(trx, accountId, null, writes)
  }
}

const valuesBefore = (fields: ImportChange['fields']) =>
  Object.fromEntries(
    RATING_FIELDS.flatMap((field) => {
      const change = fields[field]
      return change ? [[field, change.from]] : []
    }),
  ) as RatingChange // as: the history has the values of those very fields
