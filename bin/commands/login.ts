import { Command } from 'commander'
import { changeCredentials, fromTokens } from '../remote/credentials.ts'
import { awaitTokens, startLogin } from '../remote/device-flow.ts'
import {
  isUnencrypted,
  SERVER_OPTION,
  findServerUrl,
  type ServerOptions,
} from '../remote/find-server-url.ts'

const HELP = `
Prints a URL and a code. Open the URL in any browser, on this or another device,
sign in, and confirm the code. Then "mokuroku apps" manages your apps on that
server until you run "mokuroku logout". Credentials are stored in
$XDG_CONFIG_HOME/mokuroku or ~/.config/mokuroku, readable only by you.

Examples:
  mokuroku login
  mokuroku login --server https://catalog.example.org`

export const loginCommand = () =>
  new Command('login')
    .option(...SERVER_OPTION)
    .addHelpText('after', HELP)
    .action(login)

async function login(options: ServerOptions) {
  const server = await findServerUrl(options)
  if (isUnencrypted(server))
    process.stderr.write(
      `Warning: ${server} uses plain http, so others on the network can read your token.\n`,
    )
  const device = await startLogin(server)
  printLine(`Open ${device.verification_uri_complete}`)
  printLine(`and confirm that the code is ${device.user_code}.`)
  printLine(`Or open ${device.verification_uri} on another device and enter the code.`)
  printLine(
    `Waiting for confirmation. The code expires in ${Math.ceil(device.expires_in / 60)} minutes.`,
  )
  const tokens = await awaitTokens(server, device)
  await changeCredentials(async ({ credentials, save }) => {
    credentials.servers[server] = fromTokens(tokens)
    credentials.last_server = server
    await save()
  })
  printLine(`Logged in to ${server}. List your apps with: mokuroku apps list`)
}

const printLine = (line: string) => process.stdout.write(`${line}\n`)
