import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from '../kernel/networks.ts'

/** Resolves all addresses of a host name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

/** The host of a URL is, or resolves to, an address that is not public. */
export class NotPublicError extends Error {
  override name = 'NotPublicError'
}

const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) =>
    systemLookup(hostname, { all: true }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    ),
  )

/**
 * Resolves a host name to addresses that are all public.
 *
 * @throws {NotPublicError} if one of them is not
 */
export async function resolvePublic(
  hostname: string,
  resolve: Resolve = resolveBySystem,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const [first, ...others] = await resolve(hostname)
  if (!first || [first, ...others].some(({ address }) => !isPublicAddress(address)))
    throw new NotPublicError(`${hostname} resolves to a non-public address`)
  return [first, ...others]
}

/** Rejects a host that is a non-public IP address. Sockets look up names only. */
export function rejectPrivateHost(url: URL) {
  const host = url.hostname.replaceAll(/[[\]]/g, '')
  if (isIP(host) > 0 && !isPublicAddress(host))
    throw new NotPublicError(`${host} is a non-public address`)
}

/**
 * DNS lookup for sockets that accepts only public addresses. The socket connects to the addresses
 * that were checked, so a name cannot resolve to a private one afterwards.
 */
export const publicLookup =
  (resolve?: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    resolvePublic(hostname, resolve).then(
      (addresses) =>
        options.all
          ? callback(null, addresses)
          : callback(null, addresses[0].address, addresses[0].family),
      (error: Error) => callback(error, ''),
    )
  }
