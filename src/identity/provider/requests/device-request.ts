import { requestParameter } from './request-parameter.ts'

/** Where and when a device asked for its code, by which the person who is to confirm it may know it (RFC 8628 §5.4). */
export type DeviceRequest = { address: string; at: Date }

/** Part of the library's context that is read here. Views import this module and must not depend on the library. */
type DeviceContext = { ip: string; oidc: { body?: Record<string, unknown> | undefined } }

/** What is stored with a device code. */
export const deviceInfo = ({ ip, oidc }: DeviceContext) => ({
  address: ip,
  at: new Date().toISOString(),
  ...(wantsSignIn(oidc.body ?? {}) && { sign_in: true }),
})

/** Whether a person who is signed in already is to do so anew. RFC 8628 has neither, and the library drops both. */
const wantsSignIn = (form: Record<string, unknown>) =>
  requestParameter(form, 'prompt').split(' ').includes('login') ||
  requestParameter(form, 'max_age') === '0'

export const isSignInRequired = (stored: object | undefined) =>
  stored !== undefined && 'sign_in' in stored

/** What was stored with one; undefined of a code of an older version. */
export function readDeviceRequest(stored: object | undefined): DeviceRequest | undefined {
  if (!stored || !('address' in stored) || !('at' in stored)) return undefined
  return { address: String(stored.address), at: new Date(String(stored.at)) }
}
