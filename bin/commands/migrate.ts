import { Command } from 'commander'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { withDatabase } from '../with-database.ts'

export const migrateCommand = () =>
  new Command('migrate')
    .description('update the database schema, as every command does')
    .option(...JSON_OPTION)
    .action(async (options: PrintOptions) => {
      const applied = await withDatabase(async (_db, _config, { migrated }) => migrated)
      print(
        options,
        { ran: applied },
        applied.length > 0
          ? applied.map((name) => `Applied ${name}.`)
          : ['The schema is up to date.'],
      )
    })
