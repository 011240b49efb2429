import { existsSync } from 'node:fs'
import { Command, CommanderError, type Argument } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { ConfigError } from '../src/config/config.ts'
import { explainFailure } from './explain-failure.ts'
import { Failure } from './failure.ts'
import { UsageError } from './usage-error.ts'

const EPILOGUE = `
Settings come from the environment and from .env in the folder it is started in;
.env.example lists them all. docs/operations.md tells how to run it.
Exit status: 0 done, 1 failed, 2 wrong usage or settings.`

/** Each is loaded when it is asked for, so that none waits for the libraries of the others. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand(),
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  import: async () => (await import('./commands/import.ts')).importCommand(),
  update: async () => (await import('./commands/update.ts')).updateCommand(),
  matches: async () => (await import('./commands/matches.ts')).matchesCommand(),
  merge: async () => (await import('./commands/merge.ts')).mergeCommand(),
  unmerge: async () => (await import('./commands/merge.ts')).unmergeCommand(),
  entry: async () => (await import('./commands/entry.ts')).entryCommand(),
  set: async () => (await import('./commands/entry.ts')).setCommand(),
  unset: async () => (await import('./commands/entry.ts')).unsetCommand(),
  account: async () => (await import('./commands/account.ts')).accountCommand(),
  app: async () => (await import('./commands/app.ts')).appCommand(),
  keys: async () => (await import('./commands/keys.ts')).keysCommand(),
  search: async () => (await import('./commands/search.ts')).searchCommand(),
  openapi: async () => (await import('./commands/openapi.ts')).openapiCommand(),
  login: async () => (await import('./commands/login.ts')).loginCommand(),
  logout: async () => (await import('./commands/logout.ts')).logoutCommand(),
  apps: async () => (await import('./commands/apps.ts')).appsCommand(),
}

/** @param name of the one command that is wanted; anything else gets all of them, to list or to suggest */
async function program(name = '') {
  const mokuroku = new Command('mokuroku')
    .description('An open catalog of galgames, light novels and mangas.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', EPILOGUE)
    .configureHelp({
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map((argument) => helpOf(argument))].join(' '),
    })
  const wanted = Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]] : Object.values(COMMANDS)
  for (const load of wanted) if (load) mokuroku.addCommand(await load())
  addUsageHints(mokuroku, 'mokuroku')
  return mokuroku
}

/** An argument as usage lines show it. */
const helpOf = (argument: Argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`)

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
 * @returns the exit status: 0 done, 1 failed, 2 wrong usage or settings; what else a command has, its help says
 */
export async function run(args: string[]): Promise<number> {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env')
    const commandLine = await program(args[0])
    await commandLine.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has printed what is wrong; asking for help is not an error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const wrongUsage = error instanceof UsageError || error instanceof ConfigError
    const isForReading = wrongUsage || error instanceof Failure
    process.stderr.write(`${isForReading ? error.message : explainFailure(error)}\n`)
    if (wrongUsage) return 2
    return error instanceof Failure ? error.exitStatus : 1
  }
}
