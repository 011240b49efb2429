import { createHash } from 'node:crypto'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { unavailable } from '../http/wire/errors/refusals.ts'
import { StorageError } from '../storage/storage-error.ts'
import { encodeUpload, type UploadFault } from './encode-upload.ts'
import {
  claimObject,
  readObject,
  storeObject,
  tryBucket,
  type UploadBucket,
} from './upload-bucket.ts'

/** Maximum number of stored pictures per account: its own, those of its apps, and recently replaced ones. */
export const MAX_UPLOADS_PER_ACCOUNT = 40

/**
 * SQL for references to an uploaded picture: an account's picture, or the logo of one of its apps. Hidden pictures
 * count because they may be restored, and reported ones because moderators need to see them.
 *
 * @param reported parameter for the result of `listReportedPictures`
 */
const isUsed = (reported: string) => `
  (exists (
    select from accounts account
    where account.id = uploads.account_id and account.picture = '/uploads/' || uploads.hash || '.webp'
  )
  or exists (
    select from apps app where app.account_id = uploads.account_id and app.logo_hash = uploads.hash
  )
  or exists (
    select from takedowns takedown
    where takedown.owner_id = uploads.account_id
      and takedown.previous = '/uploads/' || uploads.hash || '.webp'
      and takedown.restored_at is null
  )
  or 'account:' || uploads.account_id || ' /uploads/' || uploads.hash || '.webp' = any(${reported}::text[]))`

const LIST_REPORTED = statement('uploads.list_reported').returning<{ subject: string }>(`
  select distinct subject from reports
  where kind = 'PICTURE' and state = 'OPEN' and owner_id is not null and ($1::bigint is null or owner_id = $1)`)

/**
 * Lists the subjects of open reports of users' pictures. A separate statement, because user data may be on other
 * machines (decision 0039).
 *
 * @param accountId owner of the pictures; undefined for all
 */
export const listReportedPictures = async (db: Database, accountId?: number): Promise<string[]> =>
  (await queryRows(db, LIST_REPORTED, [accountId ?? null])).map(({ subject }) => subject)

/** Serializes an account's uploads, so that concurrent ones cannot exceed the maximum. */
const LOCK_ACCOUNT = statement('uploads.lock_account').sql(
  'select from accounts where id = $1 for no key update',
)

const COUNT = statement('uploads.count').returning<{ amount: number }>(
  'select count(*)::integer as amount from uploads where account_id = $1 and hash <> $2',
)

/** A fresh upload may not be referenced yet. */
const DELETE_UNUSED = statement('uploads.delete_unused').sql(`
  delete from uploads
  where account_id = $1 and created_at < now() - interval '10 minutes' and not (${isUsed('$2')})`)

const INSERT = statement('uploads.insert').sql(`
  insert into uploads (account_id, hash, bytes, object) values ($1, $2, $3, $4)
  on conflict (account_id, hash)
    do update set created_at = now(), bytes = excluded.bytes, object = excluded.object
  returning hash`)

/**
 * Encodes and stores a picture. Reference it by its hash within an hour, or it is deleted.
 *
 * @param bucket undefined if no bucket is configured
 * @returns its hash, for `uploadPath`, or the reason it was rejected
 */
export async function saveUpload(
  db: Database,
  accountId: number,
  source: Buffer,
  bucket?: UploadBucket,
): Promise<{ hash: string } | { fault: UploadFault }> {
  const encoded = await encodeUpload(source)
  if ('fault' in encoded) return encoded
  const { bytes } = encoded
  const hash = createHash('sha256').update(bytes).digest('base64url')
  // An account without room stores no object. The check is repeated under the lock.
  if (bucket?.isUsed && !(await makeRoom(db, accountId, hash))) return { fault: 'picture_too_many' }
  const object = bucket?.isUsed ? await tryToStore(db, bucket, bytes) : null
  if (object === undefined) return { fault: 'picture_unavailable' }
  return db.transaction().execute(async (trx) => {
    await queryRows(trx, LOCK_ACCOUNT, [accountId])
    if (!(await makeRoom(trx, accountId, hash))) return { fault: 'picture_too_many' }
    if (object !== null) await claimObject(trx, object)
    await queryRows(trx, INSERT, [accountId, hash, object === null ? bytes : null, object])
    return { hash }
  })
}

/** @returns the name of the object; undefined if the bucket is unavailable */
async function tryToStore(db: Database, bucket: UploadBucket, bytes: Buffer) {
  try {
    return await tryBucket(bucket, (openSignal) => storeObject(db, bucket, bytes, openSignal))
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    bucket.onFailure(error)
    return undefined
  }
}

/**
 * Deletes unused pictures of an account that has the maximum.
 *
 * @returns whether the account may store the picture
 */
async function makeRoom(trx: Database, accountId: number, hash: string): Promise<boolean> {
  if ((await countUploads(trx, accountId, hash)) < MAX_UPLOADS_PER_ACCOUNT) return true
  await queryRows(trx, DELETE_UNUSED, [accountId, await listReportedPictures(trx, accountId)])
  return (await countUploads(trx, accountId, hash)) < MAX_UPLOADS_PER_ACCOUNT
}

async function countUploads(trx: Database, accountId: number, hash: string): Promise<number> {
  const row = await queryRow(trx, COUNT, [accountId, hash])
  return row?.amount ?? 0
}

const DELETE_ONE = statement('uploads.delete_one').sql(
  `delete from uploads where account_id = $1 and hash = $2 and not (${isUsed('$3')})`,
)

/** Deletes a picture of an account unless something still references it, without waiting for the sweep. */
export const deleteUnusedUpload = async (db: Database, accountId: number, hash: string) =>
  queryRows(db, DELETE_ONE, [accountId, hash, await listReportedPictures(db, accountId)])

/**
 * Accounts that uploaded the same bytes share a URL. A takedown makes it unavailable, unless another account shows
 * the picture as its own. A logo does not count, because moderators cannot hide logos. A ban makes every upload of
 * the account unavailable.
 */
const FIND = statement('uploads.find').returning<{
  bytes: Uint8Array | null
  object: string | null
}>(`
  select bytes, object from uploads
  join accounts account on account.id = uploads.account_id and account.banned_at is null
  where hash = $1
    and not exists (
      select from takedowns takedown
      where takedown.kind = 'PICTURE'
        and takedown.previous = '/uploads/' || uploads.hash || '.webp'
        and takedown.restored_at is null
        and (takedown.owner_id = uploads.account_id or account.picture is distinct from takedown.previous)
    )
  order by object is not null, uploads.created_at desc, uploads.id desc
  offset $2
  limit 1`)

/** Maximum rows with the same picture that one request tries. The latest upload is tried first. */
const MAX_TRIED_ROWS = 10

/**
 * Finds a picture. A row whose object is missing does not hide that of another account.
 *
 * @throws {ApiError} `COMMON_SERVICE_UNAVAILABLE` if the picture is in a bucket that cannot be read
 */
export async function findUpload(
  db: Database,
  hash: string,
  bucket: UploadBucket | undefined,
): Promise<Buffer | undefined> {
  let failure: StorageError | undefined
  for (let tried = 0; tried < MAX_TRIED_ROWS; tried += 1) {
    const row = await queryRow(db, FIND, [hash, tried])
    if (row?.bytes) return Buffer.from(row.bytes)
    if (!row || row.object === null || !bucket) break
    const { object } = row
    try {
      const bytes = await tryBucket(bucket, (openSignal) =>
        readObject(bucket.objects, object, hash, openSignal()),
      )
      if (bytes) return bytes
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      failure = error
      if (error.fault === 'unreachable') break
    }
  }
  if (failure) throw unavailable(failure)
  return undefined
}

/**
 * SQL condition: an upload is unreferenced and old enough that nothing is about to reference it. `$1` lists the
 * reported pictures.
 */
export const IS_UNUSED_UPLOAD = `created_at < now() - interval '1 hour' and not (${isUsed('$1')})`
