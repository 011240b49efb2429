import { Command } from 'commander'
import { readConfig } from '../../src/config/config.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openLog } from '../../src/operations/log.ts'
import { openConfiguredDatabase } from '../../src/configured-database.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'

export const migrateCommand = () =>
  new Command('migrate')
    .description('bring the schema up to date, as every command does')
    .option(...JSON_OPTION)
    .action(async (options: PrintOptions) => {
      const config = readConfig()
      const { db, close } = await openConfiguredDatabase(config, openLog(config.logLevel))
      try {
        const ran = await migrate(db)
        print(
          options,
          { ran },
          ran.length > 0 ? ran.map((name) => `ran ${name}`) : ['The schema is up to date.'],
        )
      } finally {
        await close()
      }
    })
