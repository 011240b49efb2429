import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { signedInBrowser, type TestUser } from './authorization.ts'
import { formWith, type PlainBrowser, type Visit } from './browser.ts'
import { mokuroku, startMokuroku, temporaryFolder, type Program } from './program.ts'
import { runCommand, type CommandResult } from './run-command.ts'
import type { TestService } from './service.ts'

/** A machine on which a user runs the command line against a server. */
export type CommandLine = {
  /** File in which it stores its logins. */
  folder: string
  run(args: string[], environment?: NodeJS.ProcessEnv): Promise<CommandResult>
  /** Runs in a separate process. */
  start(args: string[]): Program
  credentials(): StoredCredentials
  remove(): void
}
export type StoredCredentials = {
  last_server?: string
  servers: Record<string, { access_token: string; refresh_token?: string; expires_at: string }>
}

export function openCommandLine(server: string): CommandLine {
  const { path, remove } = temporaryFolder()
  const environment = { XDG_CONFIG_HOME: path, MOKUROKU_SERVER: server }
  const folder = join(path, 'mokuroku')
  return {
    folder,
    run: (args, more = {}) => runCommand(args, { environment: { ...environment, ...more } }),
    start: (args) => startMokuroku(args, { environment }),
    // as: written by the program; the tests check the members
    credentials: () =>
      JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')) as StoredCredentials,
    remove,
  }
}

/** Resolves to the URL that a login prints for the user to open. */
export async function loginUrlOf(login: Program): Promise<string> {
  await login.waitForOutput('Waiting for confirmation')
  const [, url = ''] = /^Open (\S+)$/m.exec(login.output()) ?? []
  return url
}

/** Opens the page that asks the user to confirm the device. */
export async function openConfirmation(browser: PlainBrowser, url: string): Promise<Visit> {
  const page = await browser.get(url)
  return page.forms.some(({ fields }) => 'confirm' in fields) ? page : browser.submit(page)
}

/** Logs the user in through a browser. */
export async function logIn(
  commandLine: CommandLine,
  service: TestService,
  user: TestUser,
): ReturnType<typeof mokuroku> {
  const login = commandLine.start(['login'])
  const browser = await signedInBrowser(service, user)
  let page = await openConfirmation(browser, await loginUrlOf(login))
  page = await browser.submit(page, {}, formWith(page, ['confirm']))
  if (page.forms.some(({ buttons }) => buttons.some(({ name }) => name === 'decision')))
    await browser.submit(page, { decision: 'allow' })
  return login.ended
}
