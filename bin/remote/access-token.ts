import { Failure } from '../failure.ts'
import { changeCredentials, findLogin, readCredentials, type Login } from './credentials.ts'
import { discover, requestTokens } from './provider.ts'

/** Time before its expiry, in milliseconds, from which a token is no longer sent. */
const EXPIRY_MARGIN_MS = 30_000

/**
 * Returns an access token for the server, and refreshes it if necessary. The new refresh token is stored before the
 * access token is used. Only one command refreshes at a time. Commands that waited for it use the stored result.
 *
 * @param refused a token that the server rejected before it expired
 * @throws {Failure} if there is no login at the server, or the login has ended
 */
export async function accessToken(server: string, refused?: string): Promise<string> {
  const isUsable = ({ access_token, expires_at }: Login) =>
    access_token !== refused && Date.parse(expires_at) - EXPIRY_MARGIN_MS > Date.now()

  const stored = loginAt(server, (await readCredentials()).servers).login
  if (isUsable(stored)) return stored.access_token
  return changeCredentials(async (credentials, save) => {
    const { serverUrl, login } = loginAt(server, credentials.servers)
    if (isUsable(login)) return login.access_token
    const response = await requestTokens(await discover(server), {
      grant_type: 'refresh_token',
      refresh_token: login.refresh_token,
    })
    if ('login' in response) {
      credentials.servers[serverUrl] = response.login
      await save()
      return response.login.access_token
    }
    if (response.error !== 'invalid_grant')
      throw new Failure(`${server} refused: ${response.description}.`)
    delete credentials.servers[serverUrl]
    await save()
    throw loggedOut(server)
  })
}

/** Returns the failure for a login that the server has ended. */
export const loggedOut = (server: string) =>
  new Failure(
    `The login to ${server} has ended. Log in again with: mokuroku login --server ${server}`,
  )

function loginAt(server: string, servers: Record<string, Login>) {
  const found = findLogin(servers, server)
  if (!found)
    throw new Failure(
      `You are not logged in to ${server}. Log in with: mokuroku login --server ${server}`,
    )
  return found
}
