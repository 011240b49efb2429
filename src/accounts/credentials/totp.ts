import { Secret, TOTP } from 'otpauth'

/** What every authenticator app can do (RFC 6238). */
const SETTINGS = { algorithm: 'SHA1', digits: 6, period: 30 } as const
/** Codes of one step before and after are taken too: clocks differ. */
const WINDOW = 1
const SECRET_BYTES = 20

/**
 * A new secret for an authenticator app; nothing is stored until `confirmTotp`.
 *
 * @returns the secret in base32, and the same as an `otpauth://` address for a QR code
 */
export function generateTotpSecret(email: string): { secret: string; uri: string } {
  const secret = new Secret({ size: SECRET_BYTES })
  const totp = new TOTP({ ...SETTINGS, issuer: 'mokuroku', label: email, secret })
  return { secret: secret.base32, uri: totp.toString() }
}

/** Whether a text could be a secret that `startTotp` gave. */
export const isTotpSecret = (text: string) => /^[A-Z2-7]{32}$/.test(text)

/** The time step a code belongs to, if it is a right one at `now`, in milliseconds. */
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
