import { Failure } from '../failure.ts'
import { changeCredentials, findLogin, readCredentials, type Login } from './credentials.ts'
import { discover, requestTokens } from './provider.ts'

/** A token is not sent in its last seconds. */
const MARGIN_MS = 30_000

/**
 * An access token for the server, refreshed when that is due.
 *
 * The new refresh token is stored before the access token is used, and one command refreshes at a time: those that waited
 * for it find what it has stored.
 *
 * @param refused a token that the server has refused, though it has not expired
 * @throws {Failure} when nobody is logged in there, or not any more
 */
export async function accessToken(server: string, refused?: string): Promise<string> {
  const isUsable = ({ access_token, expires_at }: Login) =>
    access_token !== refused && Date.parse(expires_at) - MARGIN_MS > Date.now()

  const stored = loginAt(server, (await readCredentials()).servers).login
  if (isUsable(stored)) return stored.access_token
  return changeCredentials(async (credentials, save) => {
    const { address, login } = loginAt(server, credentials.servers)
    if (isUsable(login)) return login.access_token
    const answer = await requestTokens(await discover(server), {
      grant_type: 'refresh_token',
      refresh_token: login.refresh_token,
    })
    if ('login' in answer) {
      credentials.servers[address] = answer.login
      await save()
      return answer.login.access_token
    }
    if (answer.error !== 'invalid_grant')
      throw new Failure(`${server} refused: ${answer.description}.`)
    delete credentials.servers[address]
    await save()
    throw loggedOut(server)
  })
}

/** The failure of a login that the server has ended. */
export const loggedOut = (server: string) =>
  new Failure(`The login at ${server} has ended. Log in again: mokuroku login --server ${server}`)

function loginAt(server: string, servers: Record<string, Login>) {
  const found = findLogin(servers, server)
  if (!found)
    throw new Failure(
      `You are not logged in at ${server}. Log in first: mokuroku login --server ${server}`,
    )
  return found
}
