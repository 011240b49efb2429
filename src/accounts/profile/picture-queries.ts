import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { UploadFault } from '../../uploads/encode-upload.ts'
import { uploadPath, hashOfUploadFile } from '../../uploads/upload-path.ts'
import type { UploadBucket } from '../../uploads/upload-bucket.ts'
import { deleteUnusedUpload, saveUpload } from '../../uploads/upload-queries.ts'

/** Returns the previous picture, so that the caller can delete its upload. */
const SET_PICTURE = statement('accounts.set_picture').returning<{ picture: string | null }>(`
  with before as (select id, picture from accounts where id = $1 for no key update)
  update accounts account
  set picture = $2, updated_at = now()
  from before
  where account.id = before.id
  returning before.picture`)

/**
 * Sets an account's picture to an uploaded image.
 *
 * @returns what is wrong with the image, or undefined if the picture was set
 */
export async function uploadPicture(
  db: Database,
  accountId: number,
  source: Buffer,
  bucket: UploadBucket | undefined,
): Promise<UploadFault | undefined> {
  const saved = await saveUpload(db, accountId, source, bucket)
  if ('fault' in saved) return saved.fault
  await setPicture(db, accountId, uploadPath(saved.hash))
  return undefined
}

/** Sets or removes an account's picture, and deletes the previous upload. */
export async function setPicture(
  db: Database,
  accountId: number,
  picture: string | null,
): Promise<void> {
  const before = await queryRow(db, SET_PICTURE, [accountId, picture])
  const hash = before?.picture && hashOfUploadFile(before.picture.slice('/uploads/'.length))
  if (hash) await deleteUnusedUpload(db, accountId, hash)
}
