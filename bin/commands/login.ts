import { Command } from 'commander'
import { changeCredentials } from '../remote/credentials.ts'
import { awaitTokens, startDeviceFlow } from '../remote/device-flow.ts'
import { discover } from '../remote/provider.ts'
import {
  isUnencrypted,
  SERVER_OPTION,
  serverAddress,
  type ServerOptions,
} from '../remote/server-address.ts'

const HELP = `
It prints an address and a code. Open the address in any browser, on this
machine or another, sign in, and confirm that it is your code. From then on
"mokuroku apps" manages your apps there, until "mokuroku logout". What the
server gives is kept in $XDG_CONFIG_HOME/mokuroku or ~/.config/mokuroku,
readable by you alone.

Examples:
  mokuroku login
  mokuroku login --server https://catalog.example.org`

export const loginCommand = () =>
  new Command('login')
    .description('log in at a server, to manage your apps there')
    .option(...SERVER_OPTION)
    .addHelpText('after', HELP)
    .action(login)

async function login(options: ServerOptions) {
  const server = await serverAddress(options)
  if (isUnencrypted(server))
    process.stderr.write(
      `Mind that ${server} is plain http: others on the way can read what is sent.\n`,
    )
  const endpoints = await discover(server)
  const code = await startDeviceFlow(endpoints)
  say(`Open ${code.completeAddress}`)
  say(`and confirm that the code is ${code.userCode}.`)
  say(`Or open ${code.address} on another device, and type it.`)
  say(`Waiting for you; the code is good for ${Math.ceil(code.expiresIn / 60)} minutes.`)
  const granted = await awaitTokens(endpoints, code)
  await changeCredentials(async (credentials, save) => {
    credentials.servers[server] = granted
    credentials.last_server = server
    await save()
  })
  say(`Logged in at ${server}. Your apps: mokuroku apps list`)
}

const say = (line: string) => process.stdout.write(`${line}\n`)
