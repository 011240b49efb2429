import { Secret, TOTP } from 'otpauth'
import { SOFTWARE_NAME } from '../../ui/software-name.ts'

/** Settings that every authenticator app supports (RFC 6238). */
const SETTINGS = { algorithm: 'SHA1', digits: 6, period: 30 } as const
/** Number of time steps accepted before and after the current one, to allow for clock skew. */
const WINDOW = 1
const SECRET_BYTES = 20

/**
 * Generates a secret for an authenticator app. Nothing is stored until `confirmTotp`.
 *
 * @returns the secret in base32, and as an `otpauth://` URI for a QR code
 */
export function generateTotpSecret(
  email: string,
  siteName: string = SOFTWARE_NAME,
): { secret: string; uri: string } {
  const secret = new Secret({ size: SECRET_BYTES })
  // The format does not allow a colon in the issuer.
  const issuer = siteName.replaceAll(':', ' ')
  const totp = new TOTP({ ...SETTINGS, issuer, label: email, secret })
  return { secret: secret.base32, uri: totp.toString() }
}

/** Whether a string has the form of a secret from `generateTotpSecret`. */
export const isTotpSecret = (text: string) => /^[A-Z2-7]{32}$/.test(text)

/** Returns the time step that a code is valid for. @param now in milliseconds */
export function findTimeStep(secret: string, code: string, now: number): number | undefined {
  const token = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const delta = TOTP.validate({
    ...SETTINGS,
    token,
    secret: Secret.fromBase32(secret),
    timestamp: now,
    window: WINDOW,
  })
  return delta === null
    ? undefined
    : TOTP.counter({ period: SETTINGS.period, timestamp: now }) + delta
}
