import type { Config } from '../../config/config.ts'
import { Bucket } from '../../storage/bucket.ts'
import { BackupError } from '../backup-error.ts'

/** Prefix of the path of a backup in the bucket. */
const SCHEME = 'bucket:'
const FOLDER = 'backups/'

/** Valid names of backups in the bucket. */
const NAME = /^\w[\w.-]{0,199}$/

/** Whether a path means a backup in the bucket. The name may still be invalid. */
export const isInBucket = (path: string) => path.startsWith(SCHEME)

/**
 * Returns the name of a backup in the bucket; undefined for the path of a file.
 *
 * @throws {BackupError} if the name is invalid
 */
export function bucketName(path: string): string | undefined {
  if (!isInBucket(path)) return undefined
  const name = path.slice(SCHEME.length)
  if (!NAME.test(name))
    throw new BackupError(
      `${path} must be ${SCHEME} and a name of letters, digits, dots and hyphens, such as ${SCHEME}mokuroku.tar.`,
    )
  return name
}

/** Returns the path of a backup in the bucket, as commands accept it. */
export const bucketPath = (name: string) => SCHEME + name

/** Folder of the backups, and the name of a backup's object. */
export const BACKUP_FOLDER = FOLDER
export const objectName = (name: string) => FOLDER + name

/** @throws {BackupError} if no bucket is configured */
export function bucketFor({ bucket }: Pick<Config, 'bucket'>): Bucket {
  if (!bucket) throw new BackupError(`${SCHEME} means the bucket in BUCKET_URL, which is not set.`)
  return new Bucket(bucket)
}
