import type { AdapterPayload } from 'oidc-provider'

/** Fields of a payload that contain a time, in seconds since 1970. */
const TIMES = ['iat', 'exp', 'iiat', 'authTime', 'loginTs'] as const

/** Maximum difference, in seconds, that may come from rounding or a slow statement. */
const MAX_ROUNDING_SECONDS = 2

/**
 * Parses a stored payload, and shifts its times to the clock of this process, with which the library compares them. The
 * process that stored the payload may have a different clock. The payload remains valid for as long as its row, by the
 * clock of the database.
 *
 * @param expiresIn seconds until the row expires, by the clock of the database
 */
export function parsePayload(text: string, expiresIn: number): AdapterPayload {
  // as: the adapter stored this payload
  const payload = JSON.parse(text) as AdapterPayload
  if (payload.exp === undefined) return payload
  // Rounded down, so that nothing is valid for longer than its row.
  const difference = Math.floor(Date.now() / 1_000 + expiresIn) - payload.exp
  if (Math.abs(difference) <= MAX_ROUNDING_SECONDS) return payload
  const times = TIMES.flatMap((name) => {
    const time: unknown = payload[name]
    return typeof time === 'number' ? [[name, time + difference]] : []
  })
  return { ...payload, ...Object.fromEntries(times) }
}
