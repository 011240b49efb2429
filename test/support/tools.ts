import { existsSync } from 'node:fs'

/**
 * Why a test cannot run that wants a program of the machine, or false.
 *
 * @param path what has to be there
 * @param packages those of Debian that bring it
 */
export const missing = (path: string, packages: string): string | false =>
  existsSync(path) ? false : `${path} is not on this machine: apt-get install ${packages}`
