import { Command, CommanderError } from 'commander'
import { ConfigError } from '../src/config.ts'
import { accountCommand } from './commands/account.ts'
import { appCommand } from './commands/app.ts'
import { importCommand } from './commands/import.ts'
import { keysCommand } from './commands/keys.ts'
import { migrateCommand } from './commands/migrate.ts'
import { openapiCommand } from './commands/openapi.ts'
import { serveCommand } from './commands/serve.ts'
import { UsageError } from './usage-error.ts'

const EPILOGUE = `
Settings come from the environment; .env.example lists them all.
Exit status: 0 done, 1 failed, 2 wrong usage.`

function program() {
  const mokuroku = new Command('mokuroku')
    .description('An open catalog of galgames, light novels and mangas, and the accounts and apps around it.')
    .addHelpText('after', EPILOGUE)
    .showHelpAfterError('(--help tells more)')
  const commands = [
    serveCommand,
    migrateCommand,
    importCommand,
    accountCommand,
    appCommand,
    keysCommand,
    openapiCommand,
  ]
  for (const command of commands) mokuroku.addCommand(command())
  for (const command of [
    mokuroku,
    ...mokuroku.commands,
    ...mokuroku.commands.flatMap(({ commands }) => commands),
  ])
    command.exitOverride()
  return mokuroku
}

/**
 * Runs one command line.
 *
 * @returns the exit status: 0 done, 1 failed, 2 wrong usage
 */
export async function run(args: string[]): Promise<number> {
  try {
    await program().parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has printed what is wrong; asking for help is not an error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const wrongUsage = error instanceof UsageError || error instanceof ConfigError
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    if (!wrongUsage && process.env['LOG_LEVEL'] === 'debug')
      process.stderr.write(`${(error as Error).stack}\n`)
    return wrongUsage ? 2 : 1
  }
}
