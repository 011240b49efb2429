import { rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { makeFolder } from '../../kernel/make-folder.ts'
import { backupFolder, isBackupName, listBackups } from './backup-folder.ts'
import { BACKUP_FOLDER, bucketFor, bucketPath, objectName } from './bucket-place.ts'

export type ListedBackup = { name: string; path: string; bytes: number }

/** Place of scheduled backups. */
export type BackupPlace = {
  /** Folder, or URL of the bucket, for messages. */
  address: string
  /** Creates the folder. */
  prepare(): Promise<void>
  /** Returns the path of a backup, as commands accept it. */
  pathOf(name: string): string
  /** Lists the backups that the service has made, oldest first. */
  list(signal?: AbortSignal): Promise<ListedBackup[]>
  delete(name: string, signal?: AbortSignal): Promise<void>
}

type PlaceSettings = Pick<Config, 'backupDir' | 'databaseUrl' | 'dataDir' | 'bucket'>

/** Returns the place of scheduled backups; undefined if they are not configured. */
export function findBackupPlace(config: PlaceSettings): BackupPlace | undefined {
  if (config.bucket?.contents.includes('backups')) return placeInBucket(config)
  const folder = backupFolder(config)
  return folder === undefined ? undefined : placeInFolder(folder)
}

/** Deletes the oldest backups beyond the given number. Call it after a new backup has been verified. */
export async function pruneBackups(
  place: BackupPlace,
  keep: number,
  signal?: AbortSignal,
): Promise<string[]> {
  const deleted = (await place.list(signal)).slice(0, -keep)
  for (const { name } of deleted) await place.delete(name, signal)
  return deleted.map(({ path }) => path)
}

function placeInFolder(folder: string): BackupPlace {
  const pathOf = (name: string) => join(folder, name)
  return {
    address: folder,
    prepare: () => makeFolder(folder, 0o700),
    pathOf,
    async list() {
      const found = []
      for (const path of listBackups(folder))
        found.push({ name: basename(path), path, bytes: (await stat(path)).size })
      return found
    },
    delete: (name) => rm(pathOf(name), { force: true }),
  }
}

function placeInBucket(config: PlaceSettings): BackupPlace {
  const bucket = bucketFor(config)
  return {
    address: bucket.address,
    prepare: async () => {},
    pathOf: bucketPath,
    async list(signal) {
      const objects = await bucket.list(BACKUP_FOLDER, signal)
      return objects
        .map(({ name, bytes }) => ({ name: name.slice(BACKUP_FOLDER.length), bytes }))
        .filter(({ name }) => isBackupName(name))
        .map((backup) => ({ ...backup, path: bucketPath(backup.name) }))
    },
    delete: (name, signal) => bucket.delete(objectName(name), signal),
  }
}
