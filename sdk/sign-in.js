import { MokurokuError, parseJson } from './error.js'
import { sleep } from './request.js'
import { issuerOf, obtain, post } from './tokens.js'

/** Maximum difference, in milliseconds, between the clocks of this machine and the server. */
const MAX_CLOCK_SKEW = 600_000

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

/** The provider issues a refresh token only after asking for consent. */
const consentFor = (scope) => /\boffline_access\b/.test(scope) && { prompt: 'consent' }

/**
 * Starts a sign-in with the authorization code flow and PKCE. Open `url` in the user's browser, and keep `pending` secret
 * until the browser returns: in memory, in `sessionStorage`, or in the session of a server.
 */
export async function startSignIn(app, { redirectUri, scope, ...more }) {
  const pending = { redirectUri, scope, state: random(), nonce: random(), verifier: random() }
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier))
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: redirectUri,
    scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: base64url(new Uint8Array(hash)),
    code_challenge_method: 'S256',
    ...consentFor(scope),
    ...more,
  })
  return { url: `${issuerOf(app)}/auth?${query}`, pending }
}

/**
 * Finishes a sign-in: checks the response at the redirect URI, redeems the code and stores the tokens.
 *
 * @param redirected URL to which the browser returned
 */
export async function finishSignIn(app, pending, redirected, options) {
  const issuer = issuerOf(app)
  const { searchParams } = new URL(redirected, pending.redirectUri)
  const parameter = (name) => searchParams.get(name)
  if (parameter('state') !== pending.state)
    throw new MokurokuError('state_mismatch', 'The response belongs to a different request.')
  if (parameter('iss') !== issuer)
    throw new MokurokuError('issuer_mismatch', 'The response is from a different issuer.')
  if (parameter('error'))
    throw new MokurokuError(
      parameter('error'),
      parameter('error_description') ?? parameter('error'),
    )
  const form = {
    grant_type: 'authorization_code',
    code: parameter('code'),
    redirect_uri: pending.redirectUri,
    code_verifier: pending.verifier,
  }
  const check = (tokens) => {
    // The granted scope may lack openid. A response without a scope granted what was requested.
    const { scope = pending.scope } = tokens
    if (tokens.id_token === undefined && !scope.split(' ').includes('openid')) return
    const { iss, aud, nonce, exp } = claimsOf(tokens) ?? {}
    const isOurs = iss === issuer && [aud].flat().includes(app.clientId)
    if (!isOurs || nonce !== pending.nonce || !(exp * 1000 > Date.now() - MAX_CLOCK_SKEW))
      throw new MokurokuError('invalid_id_token', 'The ID token is not for this sign-in.')
  }
  return obtain(app, form, { ...options, check })
}

/** Returns the claims of the ID token. It came from the provider itself, so its signature needs no check. */
export function claimsOf({ id_token }) {
  const [, part = ''] = id_token?.split('.') ?? []
  const bytes = atob(part.replaceAll('-', '+').replaceAll('_', '/'))
  return parseJson(new TextDecoder().decode(Uint8Array.from(bytes, (unit) => unit.charCodeAt(0))))
}

/** Starts a sign-in on a device without a browser. Show the user `user_code` and `verification_uri`. */
export const startDevice = (app, { scope }, options) =>
  post(app, '/device/auth', { scope, ...consentFor(scope) }, options)

/** Maximum backoff, in seconds, between polls while the server fails. */
const MAX_PAUSE = 60

/**
 * Waits until the user has decided on another device, and stores the tokens. Polls no more often than the server asks,
 * and backs off exponentially while it fails (RFC 8628 §3.5).
 */
export async function finishDevice(app, device, { signal, ...options } = {}) {
  const end = Date.now() + device.expires_in * 1000
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: device.device_code,
  }
  for (let interval = device.interval ?? 5, pause = interval; ;) {
    // The code may end during a longer pause, but the server permits no shorter one than its interval.
    await sleep(Math.max(interval * 1000, Math.min(pause * 1000, end - Date.now())), signal)
    try {
      return await obtain(app, form, { ...options, signal })
    } catch (error) {
      const { code, retryable, retryAfter = 0 } = error
      const isAnswer = code === 'slow_down' || code === 'authorization_pending'
      if ((!isAnswer && !retryable) || Date.now() >= end) throw error
      if (code === 'slow_down') interval += 5
      pause = isAnswer ? interval : Math.max(Math.min(pause * 2, MAX_PAUSE), interval, retryAfter)
    }
  }
}
