import type { LogEvent } from 'kysely'

/** Connection pool, as seen by its users. */
export type ObservedPool = {
  connect(): Promise<unknown>
  /** Number of connections, of unused connections, and of statements that are waiting for one. */
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

/** Counts a statement as waiting until `connect` has settled. */
export type WaitCounter = <Result>(connect: () => Promise<Result>) => Promise<Result>

/** Receives events from the database. */
export type DatabaseObserver = {
  /** Called after every statement. */
  onStatement?: ((event: LogEvent) => void) | undefined
  /** Called once with the pool, before its first use. */
  onPool(pool: ObservedPool): void
}
