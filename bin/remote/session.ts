import {
  isMokurokuError,
  userTokens,
  type App,
  type TokenSource,
  type TokenStore,
} from '../../sdk/index.js'
import { COMMAND_LINE_CLIENT_ID } from '../../src/apps/operator/first-party.ts'
import { printable } from '../../src/kernel/printable.ts'
import { Failure } from '../failure.ts'
import {
  changeCredentials,
  findLogin,
  fromTokens,
  readCredentials,
  type ChangingCredentials,
} from './credentials.ts'
import { REQUESTS, toFailure } from './http-client.ts'

/** Returns the settings of the command line's OAuth client at a server. */
export const commandLineAt = (server: string): App => ({
  ...REQUESTS,
  server,
  clientId: COMMAND_LINE_CLIENT_ID,
})

/** Adds the stored login, as a token store, and its lock. */
export function sessionAt(server: string): App & { store: TokenStore } {
  /** Locked credentials, or undefined while this command does not hold the lock. */
  let changing: ChangingCredentials | undefined
  return {
    ...commandLineAt(server),
    lock: (_name, run) =>
      changeCredentials(async (locked) => {
        changing = locked
        try {
          return await run()
        } finally {
          changing = undefined
        }
      }),
    store: {
      async get() {
        const { servers } = changing?.credentials ?? (await readCredentials())
        const login = findLogin(servers, server)?.login
        return login && { ...login, token_type: 'Bearer', expires_at: Date.parse(login.expires_at) }
      },
      async set(tokens) {
        if (!changing) throw new Error('The credentials are changed only under their lock.')
        const { credentials, save } = changing
        const { serverUrl = server } = findLogin(credentials.servers, server) ?? {}
        if (tokens) credentials.servers[serverUrl] = fromTokens(tokens)
        else delete credentials.servers[serverUrl]
        await save()
      },
    },
  }
}

/**
 * Returns the source of access tokens for a server, which refreshes them. The new refresh token is stored before the
 * access token is used. Only one command refreshes at a time. Commands that waited for it use the stored result.
 *
 * The source throws a `Failure` if there is no login at the server, or the login has ended.
 */
export function tokensFor(server: string): TokenSource {
  const source = userTokens(sessionAt(server))
  return async (options) => {
    try {
      return await source(options)
    } catch (error) {
      if (isMokurokuError(error, 'login_required')) throw notLoggedIn(server)
      if (isMokurokuError(error, 'invalid_grant')) throw loggedOut(server)
      if (!isMokurokuError(error) || error.status === undefined) throw toFailure(error, server)
      throw new Failure(`${server} refused: ${printable(error.message)}.`, { cause: error })
    }
  }
}

const notLoggedIn = (server: string) =>
  new Failure(`You are not logged in to ${server}. Log in with: mokuroku login --server ${server}`)

/** Returns the failure for a login that the server has ended. */
export const loggedOut = (server: string) =>
  new Failure(
    `The login to ${server} has ended. Log in again with: mokuroku login --server ${server}`,
  )
