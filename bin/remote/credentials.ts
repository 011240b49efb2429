import { chmodSync } from 'node:fs'
import { open, readFile, rename } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseJsonObject } from '../../src/kernel/is-json-object.ts'
import { makeFolder } from '../../src/kernel/make-folder.ts'
import { isLoopback } from '../../src/kernel/networks.ts'
import type { Tokens } from '../../sdk/index.js'
import { Failure } from '../failure.ts'

/**
 * Tokens granted by one server. `expires_at` is the expiry of the access token, in ISO 8601. There is no refresh token
 * if the user did not allow offline access.
 */
export type Login = { access_token: string; refresh_token?: string; expires_at: string }

type Credentials = {
  /** Server of the most recent login. */
  last_server?: string | undefined
  /** Logins, keyed by origin. */
  servers: Record<string, Login>
}

/** Locked credentials, and a function that saves them. */
export type ChangingCredentials = { credentials: Credentials; save: () => Promise<void> }

/** Converts granted tokens to a stored login. */
export const fromTokens = ({ access_token, refresh_token, expires_at }: Tokens): Login => ({
  access_token,
  ...(refresh_token !== undefined && { refresh_token }),
  expires_at: new Date(expires_at).toISOString(),
})

/**
 * Timeout, in milliseconds, for the lock. Longer than any command holds it, which is the duration of one request.
 */
const LOCK_TIMEOUT_MS = 30_000

/** `$XDG_CONFIG_HOME/mokuroku`. A relative path counts as unset, as the XDG specification requires. */
function configFolder() {
  const configHome = process.env['XDG_CONFIG_HOME'] ?? ''
  return join(isAbsolute(configHome) ? configHome : join(homedir(), '.config'), 'mokuroku')
}

/**
 * Returns the stored credentials, which are empty before the first login.
 *
 * @throws {Failure} when the file is damaged
 */
export async function readCredentials(): Promise<Credentials> {
  const path = join(configFolder(), 'credentials.json')
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{"servers":{}}'
    throw new Failure(`${path} cannot be read: ${error.message}`, { cause: error })
  })
  const { last_server, servers } = parseJsonObject(text) ?? {}
  if (typeof servers !== 'object' || servers === null)
    throw new Failure(`${path} is damaged. Delete it, and log in again with: mokuroku login`)
  // as: only this module writes the file
  return { last_server, servers } as Credentials
}

/**
 * Finds the login for a server: under its own URL, or under another loopback name with the same port. For example, a
 * login at http://127.0.0.1 also applies to http://localhost.
 */
export function findLogin(
  servers: Credentials['servers'],
  server: string,
): { serverUrl: string; login: Login } | undefined {
  const { protocol, hostname, port } = new URL(server)
  const isSame = (url: string) => {
    const other = URL.parse(url)
    const isNeighbor = other && isLoopback(hostname) && isLoopback(other.hostname)
    return isNeighbor && other.port === port && other.protocol === protocol
  }
  const serverUrl = server in servers ? server : Object.keys(servers).find(isSame)
  const login = serverUrl === undefined ? undefined : servers[serverUrl]
  return serverUrl === undefined || !login ? undefined : { serverUrl, login }
}

/**
 * Runs `work` with exclusive access to the credentials. If two commands refreshed the same token, one of them would
 * end up with an invalid token. The lock is held by the operating system, through SQLite, and is released when the
 * process exits.
 */
export async function changeCredentials<Result>(
  work: (changing: ChangingCredentials) => Promise<Result>,
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
    return await work({ credentials, save: () => writeCredentials(folder, credentials) })
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
    throw new Failure('Another mokuroku command is using the credentials. Try again in a moment.', {
      cause,
    })
  }
}

/** Writes the file atomically and durably, readable by its owner only. */
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
