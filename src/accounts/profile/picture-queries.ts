import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { UploadFault } from '../../uploads/encode-upload.ts'
import { uploadPath, hashOfUploadFile } from '../../uploads/upload-path.ts'
import { deleteUnusedUpload, saveUpload } from '../../uploads/upload-queries.ts'

/** The one before is deleted when it was uploaded too: what it was is what the row says before the update. */
const SET_PICTURE = statement('accounts.set_picture').returning<{ picture: string | null }>(`
  with before as (select id, picture from accounts where id = $1 for no key update)
  update accounts account
  set picture = $2, updated_at = now()
  from before
  where account.id = before.id
  returning before.picture`)

/** Has an account show a picture that its reader has sent. @returns what is wrong with it; undefined when it is shown */
export async function uploadPicture(
  db: Database,
  accountId: number,
  source: Buffer,
): Promise<UploadFault | undefined> {
  const kept = await saveUpload(db, accountId, source)
  if ('fault' in kept) return kept.fault
  await setPicture(db, accountId, uploadPath(kept.hash))
  return undefined
}

/** Has an account show another picture, or none. */
export async function setPicture(
  db: Database,
  accountId: number,
  picture: string | null,
): Promise<void> {
  const before = await queryRow(db, SET_PICTURE, [accountId, picture])
  const hash = before?.picture && hashOfUploadFile(before.picture.slice('/uploads/'.length))
  if (hash) await deleteUnusedUpload(db, accountId, hash)
}
