import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { signedInBrowser, type TestReader } from './authorization.ts'
import { formWith, type PlainBrowser, type Visit } from './browser.ts'
import { mokuroku, startMokuroku, temporaryFolder, type Program } from './program.ts'
import { runCommand, type CommandEnding } from './run-command.ts'
import type { TestService } from './service.ts'

/** A machine of somebody who uses the command line against a server. */
export type CommandLine = {
  /** Where it keeps its logins. */
  folder: string
  run(args: string[], environment?: NodeJS.ProcessEnv): Promise<CommandEnding>
  /** As a process of its own. */
  start(args: string[]): Program
  credentials(): Kept
  remove(): void
}
export type Kept = {
  last_server?: string
  servers: Record<string, { access_token: string; refresh_token: string; expires_at: string }>
}

export function openCommandLine(server: string): CommandLine {
  const { path, remove } = temporaryFolder()
  const environment = { XDG_CONFIG_HOME: path, MOKUROKU_SERVER: server }
  const folder = join(path, 'mokuroku')
  return {
    folder,
    run: (args, more = {}) => runCommand(args, { environment: { ...environment, ...more } }),
    start: (args) => startMokuroku(args, { environment }),
    // as: the program writes it, and the tests look at its members
    credentials: () => JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')) as Kept,
    remove,
  }
}

/** The address that a login tells to open, once it does. */
export async function addressToldBy(login: Program): Promise<string> {
  await login.says('Waiting for confirmation')
  const [, address = ''] = /^Open (\S+)$/m.exec(login.output()) ?? []
  return address
}

/** The page that asks whether it is one's own device. */
export async function openConfirmation(browser: PlainBrowser, address: string): Promise<Visit> {
  const page = await browser.get(address)
  return page.forms.some(({ fields }) => 'confirm' in fields) ? page : browser.submit(page)
}

/** Logs the reader in, as they would with a browser beside it. */
export async function logIn(
  commandLine: CommandLine,
  service: TestService,
  reader: TestReader,
): ReturnType<typeof mokuroku> {
  const login = commandLine.start(['login'])
  const browser = await signedInBrowser(service, reader)
  let page = await openConfirmation(browser, await addressToldBy(login))
  page = await browser.submit(page, {}, formWith(page, ['confirm']))
  if (page.forms.some(({ buttons }) => buttons.some(({ name }) => name === 'decision')))
    await browser.submit(page, { decision: 'allow' })
  return login.ended
}
