import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockDirectory } from '../directory-lock.ts'

/** Prefix of the names of folders in the data directory to which a backup copies the cluster. */
export const COPY_PREFIX = 'backup-copy-'

/** Deletes copies left behind by processes that were killed. */
export async function removeLeftCopies(directory: string) {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(COPY_PREFIX)) continue
    const folder = join(directory, name)
    try {
      const lock = await lockDirectory(folder)
      lock.release()
    } catch {
      // A process is using it.
      continue
    }
    await rm(folder, { recursive: true, force: true })
  }
}
