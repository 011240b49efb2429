import { PostgresDialect, PostgresDriver, type PostgresDialectConfig } from 'kysely'
import { currentDeadline, DeadlineMissedError, STATEMENT_DEADLINE_MS } from './deadlines.ts'

/** Kysely's dialect, but that a free connection is waited for within the deadline, and a rollback that fails hides nothing. */
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
  /** Waits for a free connection no longer than the statement may take that needs it. */
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
    // as: the driver's own class, behind an interface
    super.acquireConnection(options).then((connection) => take(connection as OwnConnection), fail)
    return promise
  }

  /**
   * Without the connection there is nothing to roll back, and the driver has given it up. What is thrown here would stand
   * in the place of the error that was the reason to roll back.
   */
  override async rollbackTransaction(connection: OwnConnection) {
    await super.rollbackTransaction(connection).catch(() => {})
  }
}
