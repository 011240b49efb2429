import { Command } from 'commander'
import { isMokurokuError, signOut } from '../../sdk/index.js'
import { printable } from '../../src/kernel/printable.ts'
import { Failure } from '../failure.ts'
import { changeCredentials, findLogin, readCredentials } from '../remote/credentials.ts'
import { toFailure } from '../remote/http-client.ts'
import { sessionAt } from '../remote/session.ts'
import { SERVER_OPTION, findServerUrl, type ServerOptions } from '../remote/find-server-url.ts'

const HELP = `
Revokes the tokens on the server and deletes the stored credentials.`

export const logoutCommand = () =>
  new Command('logout')
    .option(...SERVER_OPTION)
    .addHelpText('after', HELP)
    .action(logout)

async function logout(options: ServerOptions) {
  const server = await findServerUrl(options)
  const found = findLogin((await readCredentials()).servers, server)
  if (!found) throw new Failure(`You are not logged in to ${server}.`)
  const failure = await signOut(sessionAt(server)).then(
    () => undefined,
    (error: unknown) => toFailure(error, server),
  )
  await changeCredentials(async ({ credentials, save }) => {
    const { servers } = credentials
    // Signing out may have failed before it deleted the login, because other commands held the lock.
    if (failure !== undefined) delete servers[found.serverUrl]
    if (credentials.last_server === found.serverUrl && !(found.serverUrl in servers))
      delete credentials.last_server
    await save()
  })
  // The login is deleted even if revocation fails, because logging out must work without the server.
  if (failure instanceof Failure || isMokurokuError(failure))
    throw new Failure(
      `The stored credentials were deleted, but the tokens could not be revoked. Revoke them at ${server}/account. ${printable(failure.message)}`,
    )
  if (failure !== undefined) throw failure
  process.stdout.write(`Logged out of ${server}.\n`)
}
