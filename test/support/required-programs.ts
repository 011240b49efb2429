import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the reason why a test that needs a program cannot run on this machine, or false.
 *
 * @param path file that must exist
 * @param packages Debian packages that contain it
 */
export const missingFile = (path: string, packages: string): string | false =>
  existsSync(path) ? false : `${path} is not on this machine: apt-get install ${packages}`

/** Returns the reason why a test that needs a program on the `PATH` cannot run on this machine, or false. */
export const missingProgram = (program: string, packages: string): string | false =>
  (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, program)))
    ? false
    : `${program} is not on the PATH: apt-get install ${packages}`
