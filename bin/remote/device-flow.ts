import { setTimeout as sleep } from 'node:timers/promises'
import { COMMAND_LINE_CLIENT_ID } from '../../src/apps/operator/first-party.ts'
import { Failure } from '../failure.ts'
import { postForm, stringMember, Unreachable } from './http-client.ts'
import type { Login } from './credentials.ts'
import { printable } from '../../src/kernel/printable.ts'
import { refusalIn, requestTokens, type Endpoints } from './provider.ts'

const SCOPE = 'openid offline_access developer:apps'
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Code to confirm in a browser, and how to poll for the result. Times are in seconds (RFC 8628 §3.2). */
export type DeviceCode = {
  deviceCode: string
  userCode: string
  verificationUri: string
  /** URL that includes the code. */
  completeVerificationUri: string
  expiresIn: number
  interval: number
}

/**
 * Requests a code.
 *
 * @throws {Failure} when the server refuses
 */
export async function startDeviceFlow(endpoints: Endpoints): Promise<DeviceCode> {
  const response = await postForm(endpoints.device, {
    client_id: COMMAND_LINE_CLIENT_ID,
    scope: SCOPE,
    // Without this, the provider drops offline_access (OpenID Connect Core §11).
    prompt: 'consent',
  })
  const { status, body } = response
  const deviceCode = stringMember(body, 'device_code')
  const userCode = stringMember(body, 'user_code')
  const verificationUri = stringMember(body, 'verification_uri')
  if (
    status !== 200 ||
    deviceCode === undefined ||
    userCode === undefined ||
    verificationUri === undefined
  )
    throw new Failure(`The server rejected the login: ${refusalIn(response).description}.`)
  return {
    deviceCode,
    userCode: printable(userCode),
    verificationUri: printable(verificationUri),
    completeVerificationUri: printable(
      stringMember(body, 'verification_uri_complete') ?? verificationUri,
    ),
    expiresIn: secondsIn(body, 'expires_in', 600),
    interval: secondsIn(body, 'interval', 5),
  }
}

/**
 * Polls until the user has confirmed the code (RFC 8628 §3.5).
 *
 * @throws {Failure} when the user denies it or the code expires
 */
export async function awaitTokens(endpoints: Endpoints, code: DeviceCode): Promise<Login> {
  const deadline = Date.now() + code.expiresIn * 1_000
  for (let interval = code.interval; Date.now() < deadline;) {
    await sleep(interval * 1_000)
    const response = await poll(endpoints, code.deviceCode)
    if ('login' in response) {
      if (response.scope.split(' ').includes('developer:apps')) return response.login
      throw new Failure('The server did not grant the required scope developer:apps.')
    }
    if (response.error === 'slow_down') interval += 5
    else if (response.error === 'no_response') interval *= 2
    else if (response.error === 'access_denied') throw new Failure('The login was denied.')
    // The provider soon deletes an expired code, and then reports it as unknown.
    else if (response.error === 'expired_token' || response.error === 'invalid_grant') break
    else if (response.error !== 'authorization_pending')
      throw new Failure(`The server refused: ${response.description}.`)
  }
  throw new Failure('The code expired before it was confirmed. Start again with: mokuroku login')
}

async function poll(endpoints: Endpoints, deviceCode: string) {
  try {
    return await requestTokens(endpoints, { grant_type: GRANT, device_code: deviceCode })
  } catch (error) {
    if (error instanceof Unreachable) return { error: 'no_response', description: error.message }
    throw error
  }
}

function secondsIn(body: Record<string, unknown>, name: string, fallback: number): number {
  const value = body[name]
  return typeof value === 'number' && value > 0 ? value : fallback
}
