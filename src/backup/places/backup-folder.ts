import { readdirSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { errorCode } from '../../kernel/error-code.ts'

/** Whether a file name is that of a backup made by the service. These names sort chronologically. */
export const isBackupName = (name: string): boolean =>
  /^mokuroku-\d{8}T\d{6}Z(-before-[a-z0-9_]+)?\.tar$/.test(name)

/** Age, in milliseconds, after which an unfinished file counts as abandoned by a killed process. */
const ABANDONED_MS = 86_400_000

/**
 * Returns the folder for scheduled backups: by default one in the data directory for the embedded database, and none
 * for a server.
 */
export const backupFolder = ({ backupDir, databaseUrl, dataDir }: BackupSettings) =>
  backupDir ?? (databaseUrl === undefined ? join(dataDir, 'backups') : undefined)

type BackupSettings = Pick<Config, 'backupDir' | 'databaseUrl' | 'dataDir'>

/** @param migration the first migration that will run next */
export function backupName(at: Date, migration?: string): string {
  const stamp = at.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return `mokuroku-${stamp}${migration === undefined ? '' : `-before-${migration}`}.tar`
}

/** Lists the backups that the service has made, oldest first. */
export function listBackups(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(isBackupName)
      .toSorted()
      .map((name) => join(folder, name))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** Returns the name of a file that becomes a backup when it is complete. */
export const unfinishedName = (mark: string) => `.mokuroku-backup-${mark}.unfinished`

/** Deletes unfinished files that killed processes have left in a folder. */
export async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith('.mokuroku-backup-') || !name.endsWith('.unfinished')) continue
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true })
  }
}
