import { setTimeout as sleep } from 'node:timers/promises'
import { startPeriodicTask, type PeriodicTask } from '../../kernel/async/periodic-task.ts'
import type { Database } from '../database.ts'
import type { WaitCounter } from '../observer.ts'
import { queryRow } from '../query.ts'
import { currentDeadline, withinOneDeadline } from '../server/deadlines.ts'
import { judgeReplica, type ReplicaFault } from './judge.ts'
import {
  REPLAY_POSITION,
  replicaProbe,
  type PrimaryPosition,
  type PrimaryProbes,
  type ReplicaPosition,
} from './positions.ts'

/** Time, in milliseconds, between two checks of a replica. */
const CHECK_INTERVAL_MS = 250
/** Maximum time, in milliseconds, that a read waits for the replica to replay what the primary has written. */
const MAX_WAIT_MS = 20
/** Maximum time, in milliseconds, for a read on a replica: half the deadline of a statement on the primary. */
const READ_DEADLINE_MS = 2_500
/** Maximum time, in milliseconds, that a read waits for a free connection to the replica. The primary then runs it. */
const MAX_POOL_WAIT_MS = 250

/** Duration of a read, in milliseconds, above which the server must confirm that it is still a standby. */
const MAX_UNCHECKED_MS = 10

export type ReplicaState = {
  /** Host and port. */
  name: string
  fault: ReplicaFault | undefined
  /** Bytes of WAL that the replica has yet to replay; undefined if unknown. */
  lagBytes: number | undefined
}

type ReplicaOptions = {
  name: string
  /** Pool for reads. */
  db: Database
  /** One connection for checks. */
  checks: Database
  primary: PrimaryProbes
  /** Counts the reads that wait for a connection of `db`. */
  countWait: WaitCounter | undefined
  /** Called when the replica gets a fault, and when the fault is gone. */
  onChange: (state: ReplicaState, error: unknown) => void
}

/** Error of a read whose position the replica did not replay in time. */
export class ReplicaBehindError extends Error {
  override name = 'ReplicaBehindError'
}

/** Replica with periodic checks. It gets no reads while it has a fault. */
export class Replica {
  readonly #options: ReplicaOptions
  readonly #probe: () => Promise<ReplicaPosition>
  readonly #checks: PeriodicTask
  /** Functions that abandon the reads in progress. */
  readonly #running = new Set<() => void>()
  #fault: ReplicaFault | undefined = 'unknown'
  #timeline: number | null = null
  #lagBytes: number | undefined
  /**
   * Position that the replica did not replay in time; 0 if none. The replica gets no reads until it has replayed it.
   */
  #missed = 0
  #waiting = 0

  constructor(options: ReplicaOptions) {
    this.#options = options
    this.#probe = replicaProbe(options.checks)
    this.#checks = startPeriodicTask(
      CHECK_INTERVAL_MS,
      () => this.#check(),
      (error) => this.#setFault('silent', error),
    )
    this.#checks.wake()
  }

  get state(): ReplicaState {
    return { name: this.#options.name, fault: this.#fault, lagBytes: this.#lagBytes }
  }

  /** Number of reads that wait for a connection. */
  get waiting() {
    return this.#waiting
  }

  get isUsable() {
    return this.#fault === undefined && this.#missed === 0
  }

  /**
   * Runs a read that sees everything up to a position.
   *
   * @throws {ReplicaBehindError} if the replica does not replay the position in time
   * @throws {Error} if the read fails or takes too long, or if the replica stops responding
   */
  async run<Result>(
    { timeline, position }: PrimaryPosition,
    read: (db: Database) => Promise<Result>,
  ): Promise<Result> {
    if (timeline !== this.#timeline) throw new ReplicaBehindError()
    const deadline = Math.min(currentDeadline(), READ_DEADLINE_MS)
    const end = performance.now() + deadline
    const silence = Promise.withResolvers<never>()
    const abandon = () => silence.reject(new Error(`${this.#options.name} does not respond`))
    this.#running.add(abandon)
    const acquired = Promise.withResolvers<void>()
    this.#waiting += 1
    void acquired.promise.then(() => (this.#waiting -= 1))
    void this.#options.countWait?.(() => acquired.promise)
    const readOn = async (connection: Database) => {
      acquired.resolve()
      const queriedAt = await this.#waitFor(position, connection)
      const answer = await read(connection)
      // The server may have been promoted, and written to, before the read.
      if (performance.now() - queriedAt > MAX_UNCHECKED_MS) await this.#findPosition(connection)
      return answer
    }
    const result = withinOneDeadline(
      () =>
        this.#options.db
          .connection()
          .execute((connection) =>
            withinOneDeadline(() => readOn(connection), Math.max(0, end - performance.now())),
          ),
      Math.min(deadline, MAX_POOL_WAIT_MS),
    )
    // An abandoned read may fail later.
    result.catch(() => {})
    try {
      return await Promise.race([result, silence.promise])
    } finally {
      this.#running.delete(abandon)
      acquired.resolve()
    }
  }

  /**
   * Waits until the replica has replayed a position. Queries the connection of the read, because a replica that has
   * restarted since the last check may be at an earlier position.
   *
   * @returns monotonic time before the last query
   */
  async #waitFor(position: number, connection: Database): Promise<number> {
    const end = performance.now() + MAX_WAIT_MS
    for (let pause = 1; ; pause *= 2) {
      const queriedAt = performance.now()
      if ((await this.#findPosition(connection)) >= position) return queriedAt
      if (performance.now() + pause > end) break
      await sleep(pause, undefined, { ref: false })
    }
    this.#missed = Math.max(this.#missed, position)
    throw new ReplicaBehindError()
  }

  /** @throws {Error} if the server is not in recovery */
  async #findPosition(connection: Database): Promise<number> {
    const row = await queryRow(connection, REPLAY_POSITION, [])
    if (row?.position == null) throw new Error(`${this.#options.name} is not a standby`)
    return row.position
  }

  stop = () => this.#checks.stop()

  async #check() {
    const [primary, answer] = await Promise.all([
      this.#options.primary.state().catch(() => undefined),
      this.#probe(),
    ])
    if (answer.position !== null && answer.position >= this.#missed) this.#missed = 0
    // Without the state of the primary, the fault cannot be determined. No read uses a replica then.
    if (!primary) return
    const { fault, lagBytes } = judgeReplica(primary, answer)
    this.#timeline = answer.timeline
    this.#lagBytes = lagBytes
    this.#setFault(fault)
  }

  #setFault(fault: ReplicaFault | undefined, error?: unknown) {
    if (fault === 'silent') {
      this.#lagBytes = undefined
      for (const abandon of this.#running) abandon()
    }
    if (this.#fault === fault) return
    this.#fault = fault
    this.#options.onChange(this.state, error)
  }
}
