import { PostgresDialect, PostgresDriver, type PostgresDialectConfig } from 'kysely'
import { currentDeadline, DeadlineMissedError, STATEMENT_DEADLINE_MS } from './deadlines.ts'

/** Kysely's dialect, with a deadline for acquiring a connection. Rollback errors do not mask the original error. */
export class ServerDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig

  constructor(config: PostgresDialectConfig) {
    super(config)
    this.#config = config
  }

  override createDriver() {
    return new ServerDriver(this.#config)
  }
}

type OwnConnection = Parameters<PostgresDriver['releaseConnection']>[0]

class ServerDriver extends PostgresDriver {
  /** Waits for a free connection within the deadline of the statement that needs it. */
  override acquireConnection(options?: Parameters<PostgresDriver['acquireConnection']>[0]) {
    const milliseconds = currentDeadline()
    if (milliseconds >= STATEMENT_DEADLINE_MS) return super.acquireConnection(options)
    const { promise, resolve, reject } = Promise.withResolvers<OwnConnection>()
    let isLate = false
    const giveUp = () => {
      isLate = true
      reject(new DeadlineMissedError(milliseconds))
    }
    if (milliseconds === 0) {
      giveUp()
      return promise
    }
    const timer = setTimeout(giveUp, milliseconds)
    const take = (connection: OwnConnection) => {
      clearTimeout(timer)
      if (isLate) void this.releaseConnection(connection)
      else resolve(connection)
    }
    const fail = (error: unknown) => {
      clearTimeout(timer)
      reject(error)
    }
    // as: the interface hides the driver's own class
    super.acquireConnection(options).then((connection) => take(connection as OwnConnection), fail)
    return promise
  }

  /**
   * Ignores rollback failures. If the connection is gone, the driver has discarded it and there is nothing to roll
   * back. An error thrown here would replace the error that caused the rollback.
   */
  override async rollbackTransaction(connection: OwnConnection) {
    await super.rollbackTransaction(connection).catch(() => {})
  }
}
