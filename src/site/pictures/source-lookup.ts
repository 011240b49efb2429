import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { PictureError } from './picture-errors.ts'
import { isPublicAddress } from '../../kernel/public-address.ts'

/** Resolves all addresses of a host name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

export const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) =>
    systemLookup(hostname, { all: true }, (error, addresses) =>
      error
        ? reject(
            new PictureError(`${hostname} cannot be resolved`, { isTransient: true, cause: error }),
          )
        : resolve(addresses),
    ),
  )

/**
 * DNS lookup for sockets that accepts only public addresses. The socket connects to the addresses
 * that were checked, so a name cannot resolve to a private one afterwards.
 */
export const publicLookup =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    const accept = (addresses: LookupAddress[]) => {
      const [first] = addresses
      if (!first || addresses.some(({ address }) => !isPublicAddress(address)))
        return callback(new PictureError(`${hostname} resolves to a non-public address`), '')
      if (options.all) return callback(null, addresses)
      callback(null, first.address, first.family)
    }
    resolve(hostname).then(accept, (error: Error) => callback(error, ''))
  }
