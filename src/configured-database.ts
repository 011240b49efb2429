import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { openDatabase, type OpenDatabase } from './db/database.ts'

/** Opens the database a configuration names; losses of idle connections are logged. */
export function openConfiguredDatabase(config: Config, log: Logger): Promise<OpenDatabase> {
  return openDatabase({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    poolSize: config.databasePoolSize,
    preparedStatements: config.databasePreparedStatements,
    onConnectionError: (err) => log.warn({ err }, 'A connection to the database was lost'),
  })
}
