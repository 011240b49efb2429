import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { startPeriodicTask, type PeriodicTask } from '../kernel/async/periodic-task.ts'
import { traceTask } from '../kernel/async/trace-task.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import { claimObject, readObject, storeObject, type UploadBucket } from './upload-bucket.ts'

const RUN_EVERY_MS = 5_000
/** Pause, in milliseconds, after a failure. */
const PAUSE_MS = 60_000
const BATCH_ROWS = 20

/** Rows that another process is about to use or delete are skipped. */
const START_DELETIONS = statement('uploads.start_deletions').returning<{ name: string }>(`
  update stray_objects set attempts = attempts + 1, due_at = now() + interval '1 minute'
  where name in (
    select name from stray_objects where due_at <= now() order by due_at limit $1 for update skip locked
  )
  returning name`)

const END_DELETION = statement('uploads.end_deletion').sql(
  'delete from stray_objects where name = $1',
)

/** Deletes the objects that are due. A deletion that fails is repeated after a minute. */
export async function deleteStrayObjects(db: Database, objects: ObjectStore): Promise<void> {
  for (let found = BATCH_ROWS; found === BATCH_ROWS;) {
    const due = await queryRows(db, START_DELETIONS, [BATCH_ROWS])
    for (const { name } of due) {
      await objects.delete(name)
      await queryRows(db, END_DELETION, [name])
    }
    found = due.length
  }
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
): Promise<number | undefined> {
  const rows = await db
    .selectFrom('uploads')
    .select(['id', 'hash', 'bytes', 'object'])
    .where('id', '>', after)
    .where('object', bucket.isUsed ? 'is' : 'is not', null)
    .orderBy('id')
    .limit(BATCH_ROWS)
    .execute()
  for (const { id, hash, bytes, object } of rows)
    if (bytes) await moveToBucket(db, bucket, id, Buffer.from(bytes))
    else if (object !== null) await moveToDatabase(db, bucket.objects, { id, hash, object })
  return rows.at(-1)?.id
}

async function moveToBucket(
  db: Database,
  bucket: Pick<UploadBucket, 'objects'>,
  id: number,
  bytes: Buffer,
) {
  const object = await storeObject(db, bucket, bytes)
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
) {
  const bytes = await readObject(objects, object, hash)
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
    await deleteStrayObjects(db, bucket.objects)
    while (after !== undefined && !stopping.aborted) after = await moveUploads(db, bucket, after)
    intervalMs = RUN_EVERY_MS
  }
  return startPeriodicTask(
    () => intervalMs,
    (stopping) => traceTask('uploads', () => run(stopping)),
    (err) => log.warn({ err }, 'Could not delete or move uploaded pictures in the bucket'),
  )
}
