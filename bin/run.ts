import { existsSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { ENTRY_KINDS } from '../src/catalog/kinds.ts'
import { ConfigError, readProxySettings } from '../src/config/config.ts'
import { findUnknownSettings } from '../src/config/unknown-settings.ts'
import { COMMIT, VERSION } from '../src/kernel/build-info.ts'
import { useProxy } from '../src/outbound/proxy.ts'
import { explainFailure } from './explain-failure.ts'
import { Failure } from './failure.ts'
import { ignoreClosedOutput } from './ignore-closed-output.ts'
import { UsageError } from './usage-error.ts'

const EPILOGUE = `
Settings are read from the environment and from .env in the current folder;
.env.example lists all of them. docs/operations.md describes how to run a
service. Exit status: 0 done, 1 failed, 2 wrong usage or settings.`

type CommandEntry = {
  /** Name and arguments, as shown in the list of commands. */
  term: string
  description: string
  load: () => Promise<Command>
}

/**
 * Each command is loaded on demand, so that it does not wait for the libraries of other commands. The list of commands
 * needs no library.
 */
const COMMANDS: CommandEntry[] = [
  {
    term: 'serve',
    description: 'run the service',
    load: async () => (await import('./commands/serve.ts')).serveCommand(),
  },
  {
    term: 'healthcheck',
    description: 'check whether the service is ready',
    load: async () => (await import('./commands/healthcheck.ts')).healthcheckCommand(),
  },
  {
    term: 'migrate',
    description: 'update the database schema, as every command does',
    load: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  },
  {
    term: 'backup <file>',
    description: 'write all data to one file',
    load: async () => (await import('./commands/backup.ts')).backupCommand(),
  },
  {
    term: 'restore <file>',
    description: 'replace all data with a backup',
    load: async () => (await import('./commands/restore.ts')).restoreCommand(),
  },
  {
    term: 'retention',
    description: 'show whether expired data is deleted',
    load: async () => (await import('./commands/retention.ts')).retentionCommand(),
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
    description: 'review possible duplicate entries',
    load: async () => (await import('./commands/catalog/matches.ts')).matchesCommand(),
  },
  {
    term: 'merge <kind> <from> <into>',
    description: 'merge two entries',
    load: async () => (await import('./commands/catalog/merge.ts')).mergeCommand(),
  },
  {
    term: 'unmerge <kind> <from> <into>',
    description: 'undo a merge',
    load: async () => (await import('./commands/catalog/merge.ts')).unmergeCommand(),
  },
  {
    term: 'entry',
    description: 'inspect an entry',
    load: async () => (await import('./commands/catalog/entry.ts')).entryCommand(),
  },
  {
    term: 'set <kind> <id> <field> <value>',
    description: 'override a field of an entry',
    load: async () => (await import('./commands/catalog/entry.ts')).setCommand(),
  },
  {
    term: 'unset <kind> <id> <field>',
    description: 'remove the override of a field',
    load: async () => (await import('./commands/catalog/entry.ts')).unsetCommand(),
  },
  {
    term: 'account',
    description: 'manage accounts',
    load: async () => (await import('./commands/account/account.ts')).accountCommand(),
  },
  {
    term: 'invite',
    description: 'manage invitations to sign up',
    load: async () => (await import('./commands/account/invite.ts')).inviteCommand(),
  },
  {
    term: 'app',
    description: 'manage apps (OAuth clients)',
    load: async () => (await import('./commands/app/app.ts')).appCommand(),
  },
  {
    term: 'keys',
    description: 'manage token signing keys',
    load: async () => (await import('./commands/keys.ts')).keysCommand(),
  },
  {
    term: 'search',
    description: 'maintain the search index',
    load: async () => (await import('./commands/search.ts')).searchCommand(),
  },
  {
    term: 'announce [text]',
    description: 'show a text on every page',
    load: async () => (await import('./commands/announce.ts')).announceCommand(),
  },
  {
    term: 'doctor',
    description: 'check the installation, and say what to do',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  },
  {
    term: 'config',
    description: 'print the effective settings without secrets',
    load: async () => (await import('./commands/config.ts')).configCommand(),
  },
  {
    term: 'mail',
    description: 'test the mail server',
    load: async () => (await import('./commands/mail.ts')).mailCommand(),
  },
  {
    term: 'openapi',
    description: 'print the OpenAPI document',
    load: async () => (await import('./commands/openapi.ts')).openapiCommand(),
  },
  {
    term: 'login',
    description: 'log in to a server to manage your apps',
    load: async () => (await import('./commands/login.ts')).loginCommand(),
  },
  {
    term: 'logout',
    description: 'log out of a server',
    load: async () => (await import('./commands/logout.ts')).logoutCommand(),
  },
  {
    term: 'apps',
    description: 'manage your own apps on a server',
    load: async () => (await import('./commands/app/apps.ts')).appsCommand(),
  },
]

const nameOf = ({ term }: CommandEntry) => term.split(' ', 1)[0] ?? term

/**
 * Builds the program for one command line.
 *
 * @param args names the command to load; the others only get a name and a description
 */
async function program(args: string[]) {
  const [first, second] = args.filter((word) => !word.startsWith('-'))
  const name = first === 'help' ? second : first
  const terms = new Map(COMMANDS.map((entry) => [nameOf(entry), entry.term]))
  const mokuroku = new Command('mokuroku')
    .description('An open catalog of galgames, light novels and manga.')
    .version(
      COMMIT === undefined ? VERSION : `${VERSION} (${COMMIT})`,
      '-V, --version',
      'print the version and the commit it was built from',
    )
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', EPILOGUE)
    .configureHelp({
      subcommandTerm: (command) => terms.get(command.name()) ?? `${command.name()} [command]`,
    })
  for (const entry of COMMANDS) {
    const isGiven = nameOf(entry) === name
    const command = isGiven ? await entry.load() : new Command(nameOf(entry)).allowExcessArguments()
    mokuroku.addCommand(command.description(entry.description))
  }
  // People may type `galgame 1` at first. Commander suggests only names that look similar.
  if (ENTRY_KINDS.some((kind) => kind === first))
    mokuroku.on('command:*', () =>
      mokuroku.error(
        `error: unknown command '${first}'\n(Did you mean mokuroku entry ${args.join(' ')}?)`,
      ),
    )
  addUsageHints(mokuroku, 'mokuroku')
  mokuroku.hook('preAction', (_mokuroku, command) => {
    // These two report invalid settings themselves.
    if (command.name() !== 'config' && command.name() !== 'doctor') useProxy(readProxySettings())
    // The service logs unknown settings itself, and the doctor lists them.
    if (command.name() === 'serve' || command.name() === 'doctor') return
    for (const line of findUnknownSettings(process.env)) process.stderr.write(`${line}\n`)
  })
  return mokuroku
}

/** Makes every command throw instead of ending the process, and point to its help after a usage error. */
function addUsageHints(command: Command, path: string) {
  command
    .exitOverride()
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError(`See ${path} --help.`)
    .configureOutput({ outputError: (message, write) => write(inHouseStyle(message)) })
  for (const child of command.commands) addUsageHints(child, `${path} ${child.name()}`)
}

/** Rewrites an error message from commander in the style of this program's own messages. */
const inHouseStyle = (message: string) =>
  message
    .replace(/^error: (?:command-argument value )?/, '')
    .replace(/^./, (first) => first.toUpperCase())

/**
 * Runs one command line.
 *
 * @returns the exit status: 0 success, 1 failure, 2 wrong usage or settings. The help of a command lists further ones
 */
export async function run(args: string[]): Promise<number> {
  ignoreClosedOutput()
  try {
    if (existsSync('.env')) process.loadEnvFile('.env')
    const commandLine = await program(args)
    await commandLine.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has already printed the message. Printing help is not an error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const wrongUsage = error instanceof UsageError || error instanceof ConfigError
    const isForReading = wrongUsage || error instanceof Failure
    process.stderr.write(`${isForReading ? error.message : explainFailure(error)}\n`)
    if (wrongUsage) return 2
    return error instanceof Failure ? error.exitStatus : 1
  }
}
