import { isLoopback } from '../../src/kernel/loopback.ts'
import { UsageError } from '../usage-error.ts'
import { readCredentials } from './credentials.ts'

export type ServerOptions = { server?: string }

export const SERVER_OPTION = [
  '--server <url>',
  'which server; by default that of MOKUROKU_SERVER, or else the one logged in at last, or else http://localhost:14790',
] as const

/**
 * The server a command is for.
 *
 * @returns its origin, without a slash at the end
 * @throws {UsageError} when it is no such address
 */
export async function serverAddress({ server }: ServerOptions): Promise<string> {
  const address = server ?? (process.env['MOKUROKU_SERVER'] || undefined)
  if (address === undefined)
    return (await readCredentials()).last_server ?? 'http://localhost:14790'
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new UsageError(
      `${address} is no address of a server: it is http or https, a name and perhaps a port, such as https://catalog.example.org.`,
    )
  return url.origin
}

/** Whether what is sent there can be read by others on the way. */
export function isUnencrypted(server: string): boolean {
  const { protocol, hostname } = new URL(server)
  return protocol === 'http:' && !isLoopback(hostname)
}
