import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import type { Bucket } from '../../storage/bucket.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { abortUpload, uploadParts } from '../../storage/upload-parts.ts'
import { readBackup, type BackupContent } from '../read-backup.ts'
import { BACKUP_FOLDER, bucketPath, objectName } from './bucket-place.ts'

/** Age, in milliseconds, after which an incomplete upload counts as abandoned by a killed process. */
const ABANDONED_MS = 86_400_000

/**
 * Uploads a backup while it is being written. The same bytes are read back and verified as they pass, and the bucket
 * checks the hash of each part. The object appears once everything is stored and verified.
 */
export async function storeInBucket(
  bucket: Bucket,
  name: string,
  bytes: Readable,
  signal: AbortSignal | undefined,
): Promise<BackupContent> {
  const copy = new PassThrough()
  // The upload and the reader report the errors.
  bytes.on('error', () => {})
  copy.on('error', () => {})
  const verified = readBackup({ path: bucketPath(name), size: undefined, open: () => copy })
  verified.catch((error: Error) => copy.destroy(error))
  const options = { beforeComplete: () => verified, signal }
  try {
    await uploadParts(bucket, objectName(name), copied(bytes, copy, { verified, signal }), options)
  } catch (error) {
    copy.destroy()
    throw error
  }
  return verified
}

/** Yields the chunks, and also writes them to a second stream. */
async function* copied(
  bytes: AsyncIterable<Uint8Array>,
  copy: PassThrough,
  { verified, signal }: { verified: Promise<unknown>; signal: AbortSignal | undefined },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    signal?.throwIfAborted()
    if (copy.destroyed) await verified
    if (!copy.write(chunk)) await Promise.race([once(copy, 'drain'), once(copy, 'close')])
    yield chunk
  }
  copy.end()
}

/**
 * Aborts incomplete uploads that killed processes have left in the bucket. Some servers cannot list uploads; a
 * lifecycle rule can delete them there.
 */
export async function abortAbandoned(bucket: Bucket): Promise<void> {
  try {
    for (const { name, uploadId, startedAt } of await bucket.listUploads(BACKUP_FOLDER))
      if (Date.now() - startedAt > ABANDONED_MS) await abortUpload(bucket, name, uploadId)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
  }
}
