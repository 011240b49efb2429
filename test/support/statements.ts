import { DefaultConnectionProvider, type DatabaseConnection } from 'kysely'

export type SentStatement = { sql: string; parameters: readonly unknown[] }

/** What this process sends to any database while the work is done, whoever of it does. */
export async function statementsOf(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const sent: SentStatement[] = []
  const { provideConnection } = DefaultConnectionProvider.prototype
  DefaultConnectionProvider.prototype.provideConnection = function (consumer, options) {
    return provideConnection.call(
      this,
      (connection) => consumer(listened(connection, sent)),
      options,
    ) as ReturnType<typeof consumer>
  }
  try {
    await work()
  } finally {
    DefaultConnectionProvider.prototype.provideConnection = provideConnection
  }
  return sent
}

function listened(connection: DatabaseConnection, sent: SentStatement[]): DatabaseConnection {
  return {
    executeQuery(query, options) {
      sent.push({ sql: query.sql, parameters: query.parameters })
      return connection.executeQuery(query, options)
    },
    streamQuery(query, size, options) {
      sent.push({ sql: query.sql, parameters: query.parameters })
      return connection.streamQuery(query, size, options)
    },
  }
}
