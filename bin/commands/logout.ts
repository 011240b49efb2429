import { Command } from 'commander'
import { Failure } from '../failure.ts'
import { changeCredentials, findLogin } from '../remote/credentials.ts'
import { discover, revoke } from '../remote/provider.ts'
import { SERVER_OPTION, serverAddress, type ServerOptions } from '../remote/server-address.ts'

const HELP = `
The server is told that what it gave is worth nothing any more, and it is
forgotten here.`

export const logoutCommand = () =>
  new Command('logout')
    .description('end a login')
    .option(...SERVER_OPTION)
    .addHelpText('after', HELP)
    .action(logout)

async function logout(options: ServerOptions) {
  const server = await serverAddress(options)
  await changeCredentials(async (credentials, save) => {
    const found = findLogin(credentials.servers, server)
    if (!found) throw new Failure(`You are not logged in at ${server}.`)
    const { address, login } = found
    const failure = await revokeLogin(server, login.refresh_token)
    delete credentials.servers[address]
    if (credentials.last_server === address) delete credentials.last_server
    await save()
    // Forgotten here all the same: somebody who cannot reach the server must not stay logged in.
    if (failure)
      throw new Failure(
        `Forgotten here, but ${server} could not be told; end it at ${server}/account. ${failure.message}`,
      )
  })
  process.stdout.write(`Logged out at ${server}.\n`)
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
