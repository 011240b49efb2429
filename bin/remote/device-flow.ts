import {
  finishDevice,
  isMokurokuError,
  startDevice,
  type Device,
  type Tokens,
} from '../../sdk/index.js'
import { Failure } from '../failure.ts'
import { printable } from '../../src/kernel/printable.ts'
import { toFailure } from './http-client.ts'
import { commandLineAt } from './session.ts'

const SCOPE = 'openid offline_access developer:apps'

/**
 * Requests a device code. Its strings are safe to print.
 *
 * @throws {Failure} when the server refuses
 */
export async function startLogin(server: string): Promise<Device> {
  const app = commandLineAt(server)
  const started = await startDevice(app, { scope: SCOPE }).catch((error: unknown) => {
    if (!isMokurokuError(error) || error.status === undefined) throw toFailure(error, server)
    if (error.code.startsWith('HTTP_')) throw notMokuroku(server, error.status)
    throw new Failure(`The server rejected the login: ${printable(error.message)}.`, {
      cause: error,
    })
  })
  // as: the server may not be a mokuroku server
  const device = (started as Partial<Device> | undefined) ?? {}
  const { device_code, user_code, verification_uri } = device
  if (
    typeof device_code !== 'string' ||
    typeof user_code !== 'string' ||
    typeof verification_uri !== 'string'
  )
    throw notMokuroku(server, 200)
  return {
    device_code,
    user_code: printable(user_code),
    verification_uri: printable(verification_uri),
    verification_uri_complete: printable(device.verification_uri_complete ?? verification_uri),
    expires_in: Number(device.expires_in) || 600,
    interval: Number(device.interval) || 5,
  }
}

const notMokuroku = (server: string, status: number) =>
  new Failure(
    `${server} is not a mokuroku server: ${server}/oidc/device/auth returned status ${status} without a code.`,
  )

/**
 * Polls until the user has confirmed the code (RFC 8628 §3.5).
 *
 * @throws {Failure} when the user denies it or the code expires
 */
export async function awaitTokens(server: string, device: Device): Promise<Tokens> {
  const tokens = await finishDevice(commandLineAt(server), device).catch((error: unknown) => {
    throw explain(error, server)
  })
  if (!(tokens.scope ?? '').split(' ').includes('developer:apps'))
    throw new Failure('The server did not grant the required scope developer:apps.')
  return tokens
}

function explain(error: unknown, server: string): unknown {
  if (!isMokurokuError(error)) return error
  switch (error.code) {
    case 'access_denied':
      return new Failure('The login was denied.')
    // The provider soon deletes an expired code, and then reports it as unknown.
    case 'expired_token':
    case 'invalid_grant':
    case 'authorization_pending':
      return new Failure(
        'The code expired before it was confirmed. Start again with: mokuroku login',
      )
    default:
      return error.status === undefined
        ? toFailure(error, server)
        : new Failure(`The server refused: ${printable(error.message)}.`, { cause: error })
  }
}
