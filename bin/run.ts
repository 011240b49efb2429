import { existsSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { ConfigError } from '../src/config/config.ts'
import { accountCommand } from './commands/account.ts'
import { appCommand } from './commands/app.ts'
import { appsCommand } from './commands/apps.ts'
import { importCommand } from './commands/import.ts'
import { keysCommand } from './commands/keys.ts'
import { loginCommand } from './commands/login.ts'
import { logoutCommand } from './commands/logout.ts'
import { migrateCommand } from './commands/migrate.ts'
import { openapiCommand } from './commands/openapi.ts'
import { searchCommand } from './commands/search.ts'
import { serveCommand } from './commands/serve.ts'
import { explainFailure } from './explain-failure.ts'
import { Failure } from './failure.ts'
import { UsageError } from './usage-error.ts'

const EPILOGUE = `
Settings come from the environment and from .env in the folder it is started in;
.env.example lists them all. docs/operations.md tells how to run it.
Exit status: 0 done, 1 failed, 2 wrong usage or settings.`

function program() {
  const mokuroku = new Command('mokuroku')
    .description('An open catalog of galgames, light novels and mangas.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', EPILOGUE)
  const commands = [
    serveCommand,
    migrateCommand,
    importCommand,
    searchCommand,
    accountCommand,
    appCommand,
    keysCommand,
    openapiCommand,
    loginCommand,
    logoutCommand,
    appsCommand,
  ]
  for (const command of commands) mokuroku.addCommand(command())
  addUsageHints(mokuroku, 'mokuroku')
  return mokuroku
}

/** Makes every command throw instead of ending the process, and point to its help after a mistake. */
function addUsageHints(command: Command, path: string) {
  command
    .exitOverride()
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError(`See ${path} --help.`)
    .configureOutput({ outputError: (message, write) => write(inOurVoice(message)) })
  for (const child of command.commands) addUsageHints(child, `${path} ${child.name()}`)
}

/** A complaint of commander, which begins with `error: `, as all others of this program do: with a capital. */
const inOurVoice = (message: string) =>
  message.replace(/^error: (.)/, (_prefix, first: string) => first.toUpperCase())

/**
 * Runs one command line.
 *
 * @returns the exit status: 0 done, 1 failed, 2 wrong usage or settings
 */
export async function run(args: string[]): Promise<number> {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env')
    await program().parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has printed what is wrong; asking for help is not an error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const wrongUsage = error instanceof UsageError || error instanceof ConfigError
    const isForReading = wrongUsage || error instanceof Failure
    process.stderr.write(`${isForReading ? error.message : explainFailure(error)}\n`)
    return wrongUsage ? 2 : 1
  }
}
