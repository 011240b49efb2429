import { AsyncLocalStorage } from 'node:async_hooks'
import { DefaultConnectionProvider, type DatabaseConnection } from 'kysely'

export type SentStatement = { sql: string; parameters: readonly unknown[] }

/** Records all statements that this process sends to any database during `work`, including background tasks. */
export const statementsOf = (work: () => Promise<unknown>): Promise<SentStatement[]> =>
  listenTo(work, () => true)

/**
 * Records the statements that `work` itself sends to any database, without periodic tasks. Statements of HTTP requests
 * that it makes are not recorded.
 */
export function ownStatementsOf(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const isWork = new AsyncLocalStorage<true>()
  return listenTo(
    () => isWork.run(true, work),
    () => isWork.getStore() === true,
  )
}

async function listenTo(
  work: () => Promise<unknown>,
  isWanted: () => boolean,
): Promise<SentStatement[]> {
  const sent: SentStatement[] = []
  const { provideConnection } = DefaultConnectionProvider.prototype
  DefaultConnectionProvider.prototype.provideConnection = function (consumer, options) {
    return provideConnection.call(
      this,
      (connection) => consumer(isWanted() ? recordingConnection(connection, sent) : connection),
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

function recordingConnection(
  connection: DatabaseConnection,
  sent: SentStatement[],
): DatabaseConnection {
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
