import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { startPeriodicTask, type PeriodicTask } from '../kernel/async/periodic-task.ts'
import { traceTask } from '../kernel/async/trace-task.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import { StorageError } from '../storage/storage-error.ts'
import {
  claimObject,
  countObjects,
  readObject,
  storeObject,
  type UploadBucket,
} from './upload-bucket.ts'

const RUN_EVERY_MS = 5_000
/** Pause, in milliseconds, after a failure. */
const PAUSE_MS = 60_000
const BATCH_ROWS = 20

/** Skips rows that another process is claiming or deleting. */
const START_DELETIONS = statement('uploads.start_deletions').returning<{ name: string }>(`
  update stray_objects set
    attempts = attempts + 1,
    due_at = now() + least(interval '1 hour', interval '1 minute' * power(2, least(attempts, 6)))
  where name in (
    select name from stray_objects where due_at <= now() order by due_at limit $1 for update skip locked
  )
  returning name`)

const END_DELETION = statement('uploads.end_deletion').sql(
  'delete from stray_objects where name = $1',
)

/**
 * Deletes the objects that are due. A deletion that fails is repeated after a minute, and then at longer intervals, up to
 * an hour.
 *
 * @throws {StorageError} the first failure. Unless the bucket cannot be reached, the other objects are deleted before
 */
export async function deleteStrayObjects(
  db: Database,
  objects: ObjectStore,
  stopping?: AbortSignal,
): Promise<void> {
  let failure: StorageError | undefined
  for (let found = BATCH_ROWS; found === BATCH_ROWS;) {
    const due = await queryRows(db, START_DELETIONS, [BATCH_ROWS])
    for (const { name } of due)
      try {
        stopping?.throwIfAborted()
        await objects.delete(name, stopping)
        await queryRows(db, END_DELETION, [name])
      } catch (error) {
        if (!(error instanceof StorageError) || error.fault === 'unreachable') throw error
        failure ??= error
      }
    found = due.length
  }
  if (failure) throw failure
}

/**
 * Moves the next stored pictures to where new ones are stored: into the bucket, or back into the database.
 *
 * @param after id of the last row that was moved
 * @returns id of the last row; undefined if there are no more
 */
export async function moveUploads(
  db: Database,
  bucket: Pick<UploadBucket, 'objects' | 'isUsed'>,
  after: number,
  stopping?: AbortSignal,
): Promise<number | undefined> {
  const rows = await db
    .selectFrom('uploads')
    .select(['id', 'hash', 'bytes', 'object'])
    .where('id', '>', after)
    .where('object', bucket.isUsed ? 'is' : 'is not', null)
    .orderBy('id')
    .limit(BATCH_ROWS)
    .execute()
  for (const { id, hash, bytes, object } of rows) {
    stopping?.throwIfAborted()
    if (bytes) await moveToBucket(db, bucket, { id, bytes: Buffer.from(bytes) }, stopping)
    else if (object !== null)
      await moveToDatabase(db, bucket.objects, { id, hash, object }, stopping)
  }
  return rows.at(-1)?.id
}

async function moveToBucket(
  db: Database,
  bucket: Pick<UploadBucket, 'objects'>,
  { id, bytes }: { id: number; bytes: Buffer },
  stopping: AbortSignal | undefined,
) {
  const object = await storeObject(db, bucket, bytes, () => stopping)
  await db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('uploads')
      .set({ bytes: null, object })
      .where('id', '=', id)
      .where('object', 'is', null)
      .executeTakeFirst()
    // Without the row, the object stays listed for deletion.
    if (numUpdatedRows > 0n) await claimObject(trx, object)
  })
}

async function moveToDatabase(
  db: Database,
  objects: ObjectStore,
  { id, hash, object }: { id: number; hash: string; object: string },
  stopping: AbortSignal | undefined,
) {
  const bytes = await readObject(objects, object, hash, stopping)
  if (bytes)
    await db
      .updateTable('uploads')
      .set({ bytes, object: null })
      .where('id', '=', id)
      .where('object', '=', object)
      .execute()
}

/** Deletes stray objects periodically, and once moves all stored pictures to where new ones are stored. */
export function startUploadTask(
  db: Database,
  bucket: UploadBucket,
  log: Pick<Logger, 'warn'>,
): PeriodicTask {
  let after: number | undefined = 0
  let intervalMs = RUN_EVERY_MS
  const run = async (stopping: AbortSignal) => {
    intervalMs = PAUSE_MS
    try {
      await deleteStrayObjects(db, bucket.objects, stopping)
    } finally {
      while (after !== undefined) {
        after = await moveUploads(db, bucket, after, stopping)
        if (after === undefined && !bucket.isUsed) await warnOfMissing()
      }
    }
    intervalMs = RUN_EVERY_MS
  }
  const warnOfMissing = async () => {
    const missing = await countObjects(db)
    if (missing > 0)
      log.warn(
        { missing_uploads: missing },
        'Uploaded pictures could not be moved into the database, because the bucket does not have them. Before you unset BUCKET_URL, check that it and BUCKET_PREFIX are right, and restart the service. Otherwise, their owners have to upload them again.',
      )
  }
  return startPeriodicTask(
    () => intervalMs,
    (stopping) =>
      traceTask('uploads', () => run(stopping)).catch((error: unknown) => {
        if (!stopping.aborted) throw error
      }),
    (err) => log.warn({ err }, 'Could not delete or move uploaded pictures in the bucket'),
  )
}
