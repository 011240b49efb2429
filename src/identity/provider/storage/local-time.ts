import type { AdapterPayload } from 'oidc-provider'

/** Fields of a payload with a time, in seconds since 1970. */
const TIMES = ['iat', 'exp', 'iiat', 'authTime', 'loginTs'] as const

/** Largest difference, in seconds, that rounding and a slow statement explain. */
const MAX_ROUNDING_SECONDS = 2

/**
 * Parses a stored payload, and moves its times to the clock of this process, with which the library compares them.
 * Another process, whose clock may differ, may have stored the payload. The clock of the database decides how long it
 * is still valid.
 *
 * @param expiresIn seconds until the payload expires, by the clock of the database
 */
export function parsePayload(text: string, expiresIn: number): AdapterPayload {
  // as: the adapter stored this payload
  const payload = JSON.parse(text) as AdapterPayload
  if (payload.exp === undefined) return payload
  const difference = Math.round(Date.now() / 1_000 + expiresIn) - payload.exp
  if (Math.abs(difference) <= MAX_ROUNDING_SECONDS) return payload
  const times = TIMES.flatMap((name) => {
    const time: unknown = payload[name]
    return typeof time === 'number' ? [[name, time + difference]] : []
  })
  return { ...payload, ...Object.fromEntries(times) }
}
