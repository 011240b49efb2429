import { sql } from 'kysely'
import type { Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import type { UploadFault } from '../uploads/encode-upload.ts'
import type { UploadBucket } from '../uploads/upload-bucket.ts'
import { deleteUnusedUpload, saveUpload } from '../uploads/upload-queries.ts'
import { lockOwnApp } from './owner-queries.ts'
import { APP_COLUMNS, recordAppEvent, type App } from './queries.ts'

/**
 * Replaces an app's logo with an uploaded picture.
 *
 * @throws {ApiError} `COMMON_NOT_FOUND`
 */
export async function uploadOwnLogo(
  db: Database,
  accountId: number,
  clientId: string,
  source: Buffer,
  origin: Origin,
  bucket: UploadBucket | undefined,
): Promise<{ app: App } | { fault: UploadFault }> {
  const saved = await saveUpload(db, accountId, source, bucket)
  if ('fault' in saved) return saved
  const { app, previous } = await db.transaction().execute(async (trx) => {
    const current = await lockOwnApp(trx, accountId, clientId)
    const changed = await trx
      .updateTable('apps')
      .set({ logo: null, logo_hash: saved.hash, updated_at: sql<Date>`now()` })
      .where('client_id', '=', clientId)
      .returning(APP_COLUMNS)
      .executeTakeFirstOrThrow()
    await recordAppEvent(trx, 'app_changed', changed, origin, { changed: ['logo'] })
    return { app: changed, previous: current.logo_hash }
  })
  if (previous !== null && previous !== saved.hash)
    await deleteUnusedUpload(db, accountId, previous)
  return { app }
}
