import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Why a test cannot run that wants a program of the machine, or false.
 *
 * @param path what has to be there
 * @param packages those of Debian that bring it
 */
export const missing = (path: string, packages: string): string | false =>
  existsSync(path) ? false : `${path} is not on this machine: apt-get install ${packages}`

/** The same of a program that is started by its name. */
export const missingOnPath = (program: string, packages: string): string | false =>
  (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, program)))
    ? false
    : `${program} is not on the PATH: apt-get install ${packages}`
