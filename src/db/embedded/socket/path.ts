import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'

/** Maximum length, in bytes, of a Unix socket path: 108 with its NUL on Linux, 104 elsewhere. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103

/**
 * Returns the path of a data directory's socket. `psql -h DATA_DIR` expects this name. Windows has named pipes, which
 * are not in folders.
 */
export function socketPathOf(directory: string): string {
  const absolute = resolve(directory)
  if (process.platform !== 'win32') return join(absolute, '.s.PGSQL.5432')
  const digest = createHash('sha256').update(absolute.toLowerCase()).digest('hex')
  return `\\\\.\\pipe\\mokuroku-${digest}`
}

/** Whether the operating system supports a socket at this path. */
export const isUsablePath = (path: string) =>
  process.platform === 'win32' || Buffer.byteLength(path) <= MAX_PATH_BYTES
