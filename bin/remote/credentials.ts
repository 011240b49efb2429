import { chmodSync } from 'node:fs'
import { open, readFile, rename } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '../../src/kernel/make-folder.ts'
import { isLoopback } from '../../src/kernel/loopback.ts'
import { Failure } from '../failure.ts'
import { membersOf } from './ask-server.ts'

/** What was granted at one server; `expires_at`: of the access token, ISO 8601. */
export type Login = { access_token: string; refresh_token: string; expires_at: string }

type Credentials = {
  /** The one logged in at last. */
  last_server?: string | undefined
  /** By origin. */
  servers: Record<string, Login>
}

/** Longer than a command holds the lock: it may wait for two slow answers of a server meanwhile. */
const LOCK_TIMEOUT_MS = 30_000

/** `$XDG_CONFIG_HOME/mokuroku`; one that is not absolute counts as unset, as that specification has it. */
function configFolder() {
  const configHome = process.env['XDG_CONFIG_HOME'] ?? ''
  return join(isAbsolute(configHome) ? configHome : join(homedir(), '.config'), 'mokuroku')
}

/** The stored credentials; empty before the first login. @throws {Failure} when the file is not as it was written */
export async function readCredentials(): Promise<Credentials> {
  const path = join(configFolder(), 'credentials.json')
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{"servers":{}}'
    throw new Failure(`${path} cannot be read: ${error.message}`, { cause: error })
  })
  const { last_server, servers } = membersOf(text)
  if (typeof servers !== 'object' || servers === null)
    throw new Failure(`${path} is damaged. Remove it, and log in again: mokuroku login`)
  // as: only this module writes it
  return { last_server, servers } as Credentials
}

/**
 * The address under which a login is stored: the server's, or another name of this machine for the same port. A server at
 * http://localhost is also at http://127.0.0.1, and was known by that name before.
 */
export function findLogin(
  servers: Credentials['servers'],
  server: string,
): { address: string; login: Login } | undefined {
  const { protocol, hostname, port } = new URL(server)
  const isSame = (address: string) => {
    const other = URL.parse(address)
    const isNeighbour = other && isLoopback(hostname) && isLoopback(other.hostname)
    return isNeighbour && other.port === port && other.protocol === protocol
  }
  const address = server in servers ? server : Object.keys(servers).find(isSame)
  const login = address === undefined ? undefined : servers[address]
  return address === undefined || !login ? undefined : { address, login }
}

/**
 * Lets a command change the credentials while every other one waits: of two that refreshed the same token one would be
 * left with an invalid one. The lock is the operating system's, through SQLite, and dies with its process.
 */
export async function changeCredentials<Result>(
  work: (credentials: Credentials, save: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const folder = configFolder()
  try {
    await makeFolder(folder, 0o700)
    chmodSync(folder, 0o700)
  } catch (error) {
    throw new Failure(`${folder} cannot be used: ${String(error)}`, { cause: error })
  }
  const lock = takeLock(join(folder, 'lock.sqlite'))
  try {
    const credentials = await readCredentials()
    return await work(credentials, () => writeCredentials(folder, credentials))
  } finally {
    lock.close()
  }
}

function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(path)
  try {
    chmodSync(path, 0o600)
    lock.exec(`pragma busy_timeout = ${LOCK_TIMEOUT_MS}; begin exclusive`)
    return lock
  } catch (cause) {
    lock.close()
    throw new Failure('Another mokuroku command is busy with the login. Try again in a moment.', {
      cause,
    })
  }
}

/** Readable by their owner alone, never seen half-written, and there after a crash. */
async function writeCredentials(folder: string, credentials: Credentials) {
  const path = join(folder, 'credentials.json')
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.chmod(0o600)
    await file.writeFile(`${JSON.stringify(credentials, undefined, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}
