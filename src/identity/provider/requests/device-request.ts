import { requestParameter } from './request-parameter.ts'

/**
 * Address and time of a device's request for a code, so that the user can recognize it (RFC 8628 §5.4).
 */
export type DeviceRequest = { address: string; at: Date }

/** Part of the library's context. Views import this module, so it must not import the library. */
type DeviceContext = { ip: string; oidc: { body?: Record<string, unknown> | undefined } }

/** Returns the data stored with a device code. */
export const deviceInfo = ({ ip, oidc }: DeviceContext) => ({
  address: ip,
  at: new Date().toISOString(),
  ...(wantsSignIn(oidc.body ?? {}) && { sign_in: true }),
})

/** Whether a signed-in user must sign in again. RFC 8628 defines neither parameter, and the library drops both. */
const wantsSignIn = (form: Record<string, unknown>) =>
  requestParameter(form, 'prompt').split(' ').includes('login') ||
  requestParameter(form, 'max_age') === '0'

export const isSignInRequired = (stored: object | undefined) =>
  stored !== undefined && 'sign_in' in stored

/** Parses the data stored with a device code; undefined for codes issued by older versions. */
export function readDeviceRequest(stored: object | undefined): DeviceRequest | undefined {
  if (!stored || !('address' in stored) || !('at' in stored)) return undefined
  return { address: String(stored.address), at: new Date(String(stored.at)) }
}
