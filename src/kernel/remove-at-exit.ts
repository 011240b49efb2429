import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'

/**
 * Deletes a temporary file or folder when this process exits, unless it has already been deleted. A signal without a
 * handler ends the process without deleting it.
 *
 * @returns a function that deletes it now
 */
export function removeAtExit(path: string): () => Promise<void> {
  const removeNow = () => rmSync(path, { recursive: true, force: true })
  process.once('exit', removeNow)
  return async () => {
    await rm(path, { recursive: true, force: true })
    process.off('exit', removeNow)
  }
}
