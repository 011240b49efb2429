import { isLoopback } from '../../src/kernel/networks.ts'
import { UsageError } from '../usage-error.ts'
import { readCredentials } from './credentials.ts'

export type ServerOptions = { server?: string }

export const SERVER_OPTION = [
  '--server <url>',
  'URL of the server (default: MOKUROKU_SERVER, then the last login, then http://localhost:14790)',
] as const

/**
 * Returns the origin of the server to which a command applies.
 *
 * @throws {UsageError} for a malformed URL
 */
export async function findServerUrl({ server }: ServerOptions): Promise<string> {
  const serverUrl = server ?? (process.env['MOKUROKU_SERVER'] || undefined)
  if (serverUrl === undefined)
    return (await readCredentials()).last_server ?? 'http://localhost:14790'
  const url = URL.parse(serverUrl)
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new UsageError(
      `${serverUrl} is not the address of a server. Use http or https, a host name and an optional port, such as https://catalog.example.org.`,
    )
  return url.origin
}

/** Whether requests to the server cross a network in plain text. */
export function isUnencrypted(server: string): boolean {
  const { protocol, hostname } = new URL(server)
  return protocol === 'http:' && !isLoopback(hostname)
}
