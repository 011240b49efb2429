import { existsSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { ConfigError } from '../src/config/config.ts'
import { findUnknownSettings } from '../src/config/unknown-settings.ts'
import { explainFailure } from './explain-failure.ts'
import { Failure } from './failure.ts'
import { ignoreClosedOutput } from './ignore-closed-output.ts'
import { UsageError } from './usage-error.ts'

const EPILOGUE = `
Settings come from the environment and from .env in the folder it is started in;
.env.example lists them all. docs/operations.md tells how to run it.
Exit status: 0 done, 1 failed, 2 wrong usage or settings.`

type CommandEntry = {
  /** With its arguments, as the list of commands has it. */
  term: string
  description: string
  load: () => Promise<Command>
}

/** Each is loaded when it is asked for, so that none waits for the libraries of the others; the list of all needs none. */
const COMMANDS: CommandEntry[] = [
  {
    term: 'serve',
    description: 'run the service',
    load: async () => (await import('./commands/serve.ts')).serveCommand(),
  },
  {
    term: 'migrate',
    description: 'bring the schema up to date, as every command does',
    load: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  },
  {
    term: 'import <source> <path>',
    description: 'load catalog data from a dump',
    load: async () => (await import('./commands/catalog/import.ts')).importCommand(),
  },
  {
    term: 'update [sources]',
    description: 'fetch the newest dumps and import them',
    load: async () => (await import('./commands/catalog/update.ts')).updateCommand(),
  },
  {
    term: 'matches',
    description: 'decide which records are the same',
    load: async () => (await import('./commands/catalog/matches.ts')).matchesCommand(),
  },
  {
    term: 'merge <kind> <from> <into>',
    description: 'make one entry of two',
    load: async () => (await import('./commands/catalog/merge.ts')).mergeCommand(),
  },
  {
    term: 'unmerge <kind> <from> <into>',
    description: 'make two entries again of what was merged',
    load: async () => (await import('./commands/catalog/merge.ts')).unmergeCommand(),
  },
  {
    term: 'entry',
    description: 'look into an entry',
    load: async () => (await import('./commands/catalog/entry.ts')).entryCommand(),
  },
  {
    term: 'set <kind> <id> <field> <value>',
    description: 'set a field of an entry by hand',
    load: async () => (await import('./commands/catalog/entry.ts')).setCommand(),
  },
  {
    term: 'unset <kind> <id> <field>',
    description: 'leave a field to the sources again',
    load: async () => (await import('./commands/catalog/entry.ts')).unsetCommand(),
  },
  {
    term: 'account',
    description: 'manage accounts',
    load: async () => (await import('./commands/account/account.ts')).accountCommand(),
  },
  {
    term: 'app',
    description: 'manage apps (OAuth clients)',
    load: async () => (await import('./commands/app/app.ts')).appCommand(),
  },
  {
    term: 'keys',
    description: 'manage the keys that sign tokens',
    load: async () => (await import('./commands/keys.ts')).keysCommand(),
  },
  {
    term: 'search',
    description: 'keep the index of names',
    load: async () => (await import('./commands/search.ts')).searchCommand(),
  },
  {
    term: 'openapi',
    description: 'print the OpenAPI document',
    load: async () => (await import('./commands/openapi.ts')).openapiCommand(),
  },
  {
    term: 'login',
    description: 'log in at a server, to manage your apps there',
    load: async () => (await import('./commands/login.ts')).loginCommand(),
  },
  {
    term: 'logout',
    description: 'end a login',
    load: async () => (await import('./commands/logout.ts')).logoutCommand(),
  },
  {
    term: 'apps',
    description: 'manage your own apps at a server',
    load: async () => (await import('./commands/app/apps.ts')).appsCommand(),
  },
]

const nameOf = ({ term }: CommandEntry) => term.split(' ', 1)[0] ?? term

/** @param args what was typed: the one command that is asked for is loaded, and of the others what a list or a suggestion needs */
async function program(args: string[]) {
  const [first, second] = args.filter((word) => !word.startsWith('-'))
  const name = first === 'help' ? second : first
  const terms = new Map(COMMANDS.map((entry) => [nameOf(entry), entry.term]))
  const mokuroku = new Command('mokuroku')
    .description('An open catalog of galgames, light novels and mangas.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', EPILOGUE)
    .configureHelp({
      subcommandTerm: (command) => terms.get(command.name()) ?? `${command.name()} [command]`,
    })
  for (const entry of COMMANDS)
    mokuroku.addCommand(
      nameOf(entry) === name
        ? await entry.load()
        : new Command(nameOf(entry)).description(entry.description).allowExcessArguments(),
    )
  addUsageHints(mokuroku, 'mokuroku')
  mokuroku.hook('preAction', (_mokuroku, command) => {
    // The service logs them itself.
    if (command.name() === 'serve') return
    for (const line of findUnknownSettings(process.env)) process.stderr.write(`${line}\n`)
  })
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

/** Rewrites an error message of commander in the style of this program's own. */
const inOurVoice = (message: string) =>
  message
    .replace(/^error: (?:command-argument value )?/, '')
    .replace(/^./, (first) => first.toUpperCase())

/**
 * Runs one command line.
 *
 * @returns the exit status: 0 done, 1 failed, 2 wrong usage or settings; what else a command has, its help says
 */
export async function run(args: string[]): Promise<number> {
  ignoreClosedOutput()
  try {
    if (existsSync('.env')) process.loadEnvFile('.env')
    const commandLine = await program(args)
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
