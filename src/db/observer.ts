import type { LogEvent } from 'kysely'

/** Pool of connections as its users see it. */
export type ObservedPool = {
  connect(): Promise<unknown>
  /** Number of connections, of unused ones, and of statements that wait for one. */
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

/** Receives what the database does. */
export type DatabaseObserver = {
  /** Called after every statement. */
  onStatement(event: LogEvent): void
  /** Called once with the pool, before its first use. */
  onPool(pool: ObservedPool): void
}
