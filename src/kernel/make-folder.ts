import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './error-code.ts'

/**
 * Creates a folder and its missing parents. Replaces `mkdir` with `recursive`, which never returns on file systems
 * that reject new folders with ENOENT, such as `/proc`.
 *
 * @param mode permissions of the new folders
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') return requireFolder(path, error)
    if (dirname(path) === path) throw error
    await makeFolder(dirname(path), mode)
    await mkdir(path, { mode }).catch((reason: unknown) => requireFolder(path, reason))
  }
}

/**
 * Returns without an error if the folder exists.
 *
 * @throws the original error otherwise
 */
async function requireFolder(path: string, reason: unknown) {
  if (errorCode(reason) === 'EEXIST' && (await stat(path)).isDirectory()) return
  throw reason
}
