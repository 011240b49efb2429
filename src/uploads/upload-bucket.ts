import { hash as digest, randomUUID } from 'node:crypto'
import type { BucketSettings } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { unavailable } from '../http/wire/errors/refusals.ts'
import type { BucketOptions } from '../storage/bucket-client.ts'
import { Bucket } from '../storage/bucket.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import { StorageError } from '../storage/storage-error.ts'

const FOLDER = 'uploads/'
/** Limits of the requests for which a user is waiting. */
const LIMITS = { maxAttempts: 2, retryMs: 200, timeoutMs: 5_000 }
/** Maximum time, in milliseconds, that a user waits for an object. A stopping service waits nine seconds for requests. */
const MAX_WAIT_MS = 7_000
/** Time, in milliseconds, between two users' requests to a bucket that cannot be reached. */
const PAUSE_MS = 5_000

/** Bucket with uploaded pictures. */
export type UploadBucket = {
  objects: ObjectStore
  /** Whether new pictures are stored in the bucket. Pictures that are already there are read from it in any case. */
  isUsed: boolean
  /** Called when a picture cannot be stored. */
  onFailure: (error: unknown) => void
  /** Latest failure to reach the bucket, unless a request has succeeded since, and the time until which requests fail. */
  outage?: { error: StorageError; until: number } | undefined
}

export const openUploadBucket = (
  settings: BucketSettings | undefined,
  { onFailure, onRequest }: Pick<UploadBucket, 'onFailure'> & Pick<BucketOptions, 'onRequest'>,
): UploadBucket | undefined =>
  settings && {
    objects: new Bucket(settings, { limits: LIMITS, onRequest }),
    isUsed: settings.contents.includes('uploads'),
    onFailure,
  }

/** Lists an object for deletion in an hour, which is far longer than its upload takes. */
const ANNOUNCE = statement('uploads.announce_object').sql(
  `insert into stray_objects (name, due_at) values ($1, now() + interval '1 hour')`,
)

/**
 * Stores a picture under a new name. Until `claimObject`, the object is listed for deletion, so that none is left behind
 * if the process is killed.
 *
 * @param openSignal called before the bucket is
 * @returns the name
 * @throws {StorageError}
 */
export async function storeObject(
  db: Database,
  { objects }: Pick<UploadBucket, 'objects'>,
  bytes: Buffer,
  openSignal: () => AbortSignal | undefined,
): Promise<string> {
  const name = FOLDER + randomUUID()
  await queryRows(db, ANNOUNCE, [name])
  await objects.write(name, bytes, openSignal())
  return name
}

const CLAIM = statement('uploads.claim_object').returning<{ name: string }>(
  'delete from stray_objects where name = $1 and attempts = 0 returning name',
)

/**
 * Takes an object off the list for deletion, in the transaction that writes its row.
 *
 * @throws {ApiError} `COMMON_SERVICE_UNAVAILABLE` if its deletion has begun
 */
export async function claimObject(trx: Database, name: string): Promise<void> {
  if (!(await queryRow(trx, CLAIM, [name]))) throw unavailable()
}

/**
 * Reads the picture of a row.
 *
 * @returns undefined if the object is missing or has other content than the hash says
 * @throws {StorageError}
 */
export async function readObject(
  objects: ObjectStore,
  name: string,
  hash: string,
  signal?: AbortSignal,
): Promise<Buffer | undefined> {
  const bytes = await objects.read(name, signal)
  return bytes && digest('sha256', bytes, 'base64url') === hash ? bytes : undefined
}

const COUNT_OBJECTS = statement('uploads.count_objects').returning<{ amount: number }>(
  'select count(*)::integer as amount from uploads where object is not null',
)

/** Returns how many pictures are in a bucket instead of the database. */
export const countObjects = async (db: Database): Promise<number> =>
  (await queryRow(db, COUNT_OBJECTS, []))?.amount ?? 0

/**
 * Uses the bucket for a user who is waiting. While it cannot be reached, one request in five seconds tries it, and the
 * others fail at once.
 *
 * @param use calls its parameter when it begins to use the bucket, and ends when the signal is aborted
 * @throws {StorageError}
 */
export async function tryBucket<Result>(
  bucket: UploadBucket,
  use: (openSignal: () => AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { outage } = bucket
  if (outage) {
    if (performance.now() < outage.until) throw outage.error
    outage.until = performance.now() + PAUSE_MS
  }
  let signal: AbortSignal | undefined
  try {
    const result = await use(() => (signal ??= AbortSignal.timeout(MAX_WAIT_MS)))
    bucket.outage = undefined
    return result
  } catch (thrown) {
    const isTimeout = signal?.aborted && thrown === signal.reason
    const error = isTimeout ? timeoutError(bucket.objects.address, thrown) : thrown
    if (error instanceof StorageError && error.fault === 'unreachable')
      bucket.outage = { error, until: performance.now() + PAUSE_MS }
    throw error
  }
}

const timeoutError = (address: string, cause: unknown) =>
  new StorageError(`The bucket ${address} cannot be reached: no response in time.`, {
    fault: 'unreachable',
    isTransient: true,
    cause,
  })
