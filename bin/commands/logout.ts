import { Command } from 'commander'
import { Failure } from '../failure.ts'
import { changeCredentials, findLogin } from '../remote/credentials.ts'
import { discover, revoke } from '../remote/provider.ts'
import { SERVER_OPTION, findServerUrl, type ServerOptions } from '../remote/find-server-url.ts'

const HELP = `
Revokes the tokens on the server and deletes the stored credentials.`

export const logoutCommand = () =>
  new Command('logout')
    .description('log out of a server')
    .option(...SERVER_OPTION)
    .addHelpText('after', HELP)
    .action(logout)

async function logout(options: ServerOptions) {
  const server = await findServerUrl(options)
  await changeCredentials(async (credentials, save) => {
    const found = findLogin(credentials.servers, server)
    if (!found) throw new Failure(`You are not logged in to ${server}.`)
    const { serverUrl, login } = found
    const failure = await revokeLogin(server, login.refresh_token)
    delete credentials.servers[serverUrl]
    if (credentials.last_server === serverUrl) delete credentials.last_server
    await save()
    // The login was deleted anyway: a user who cannot reach the server must not stay logged in.
    if (failure)
      throw new Failure(
        `The stored credentials were deleted, but the tokens could not be revoked. Revoke them at ${server}/account. ${failure.message}`,
      )
  })
  process.stdout.write(`Logged out of ${server}.\n`)
}

async function revokeLogin(server: string, refreshToken: string): Promise<Failure | undefined> {
  try {
    await revoke(await discover(server), refreshToken)
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}
