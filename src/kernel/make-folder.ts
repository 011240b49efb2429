import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './error-code.ts'

/**
 * Makes a folder and its missing parents. `mkdir` with `recursive` never returns where the file system refuses new
 * folders with ENOENT, as `/proc` does.
 *
 * @param mode permissions of the folders made here
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

/** Accepts a folder that exists already. @throws the reason otherwise */
async function requireFolder(path: string, reason: unknown) {
  if (errorCode(reason) === 'EEXIST' && (await stat(path)).isDirectory()) return
  throw reason
}
