import type { KoaContextWithOIDC } from 'oidc-provider'

/** Where and when a device asked for its code, by which the person who is to confirm it may know it (RFC 8628 §5.4). */
export type DeviceRequest = { address: string; at: Date }

/** What is stored with a device code. */
export const deviceInfo = ({ ip }: KoaContextWithOIDC) => ({ address: ip, at: new Date().toISOString() })

/** What was stored with one; undefined of a code of an older version. */
export function readDeviceRequest(stored: object | undefined): DeviceRequest | undefined {
  if (!stored || !('address' in stored) || !('at' in stored)) return undefined
  return { address: String(stored.address), at: new Date(String(stored.at)) }
}
