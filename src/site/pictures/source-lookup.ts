import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { PictureError } from './picture-errors.ts'
import { isPublicAddress } from '../../kernel/public-address.ts'

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

export const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) =>
    systemLookup(hostname, { all: true }, (error, addresses) =>
      error
        ? reject(
            new PictureError(`${hostname} has no address`, { isTransient: true, cause: error }),
          )
        : resolve(addresses),
    ),
  )

/**
 * What a socket asks for the address it connects to: the addresses that were looked at are those that are taken, so that a name
 * cannot give a public one first and another then.
 */
export const publicLookup =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    const give = (addresses: LookupAddress[]) => {
      const [first] = addresses
      if (!first || addresses.some(({ address }) => !isPublicAddress(address)))
        return callback(new PictureError(`${hostname} leads to an address that is not public`), '')
      if (options.all) return callback(null, addresses)
      callback(null, first.address, first.family)
    }
    resolve(hostname).then(give, (error: Error) => callback(error, ''))
  }
