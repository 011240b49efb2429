import { Command } from 'commander'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { withDatabase } from '../with-database.ts'

export const migrateCommand = () =>
  new Command('migrate')
    .description('update the database schema, as every command does')
    .option(...JSON_OPTION)
    .action(async (options: PrintOptions) => {
      const ran = await withDatabase(async (_db, _config, { migrated }) => migrated)
      print(
        options,
        { ran },
        ran.length > 0 ? ran.map((name) => `Applied ${name}.`) : ['The schema is up to date.'],
      )
    })
