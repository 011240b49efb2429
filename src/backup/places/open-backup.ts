import { Readable } from 'node:stream'
import type { Config } from '../../config/config.ts'
import { BackupError } from '../backup-error.ts'
import type { BackupSource } from '../read-backup.ts'
import { bucketFor, bucketName, objectName } from './bucket-place.ts'

/**
 * Opens a backup for reading.
 *
 * @param place file, or `bucket:NAME`
 * @returns the path of the file, or the object in the bucket
 * @throws {BackupError} if the bucket has no such backup
 */
export async function openBackup(
  config: Pick<Config, 'bucket'>,
  place: string,
): Promise<string | BackupSource> {
  const name = bucketName(place)
  if (name === undefined) return place
  const bucket = bucketFor(config)
  const facts = await bucket.find(objectName(name))
  if (!facts)
    throw new BackupError(
      `The bucket ${bucket.address} has no backup ${name}. List them with: mokuroku backup list.`,
    )
  return {
    path: place,
    size: facts.bytes,
    open: () => Readable.from(bucket.readPieces(objectName(name), facts), { objectMode: false }),
  }
}

/** Returns the path or name of a backup, for messages. */
export const backupPath = (source: string | BackupSource): string =>
  typeof source === 'string' ? source : source.path
