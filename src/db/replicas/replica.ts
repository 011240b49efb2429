import { setTimeout as sleep } from 'node:timers/promises'
import { startPeriodicTask, type PeriodicTask } from '../../kernel/async/periodic-task.ts'
import type { Database } from '../database.ts'
import { queryRow } from '../query.ts'
import { currentDeadline, withinOneDeadline } from '../server/deadlines.ts'
import { judgeReplica, type ReplicaFault } from './judge.ts'
import {
  REPLAY_POSITION,
  replicaQuestion,
  type PrimaryPosition,
  type PrimaryQuestions,
  type ReplicaAnswer,
} from './positions.ts'

/** Time, in milliseconds, between two checks of a replica. */
const CHECK_INTERVAL_MS = 250
/** Maximum time, in milliseconds, that a read waits for the replica to replay what the primary has written. */
const MAX_WAIT_MS = 20
/** Maximum time, in milliseconds, for a read on a replica. The primary, which is asked next, gets twice as long. */
const READ_DEADLINE_MS = 2_500

/** Time, in milliseconds, after which a server is asked again whether it was still a standby during the read. */
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
  primary: PrimaryQuestions
  /** Called when the replica is left out, and when it is back. */
  onChange: (state: ReplicaState, error: unknown) => void
}

/** A replica has not replayed what the primary has written. */
export class ReplicaBehindError extends Error {
  override name = 'ReplicaBehindError'
}

/** A replica with periodic checks. It is left out while it has a fault. */
export class Replica {
  readonly #options: ReplicaOptions
  readonly #ask: () => Promise<ReplicaAnswer>
  readonly #checks: PeriodicTask
  /** For each read in progress, a function that abandons it. */
  readonly #running = new Set<() => void>()
  #fault: ReplicaFault | undefined = 'unknown'
  #timeline: number | null = null
  #lagBytes: number | undefined
  /** Position for which a read waited in vain. No other read waits until it is replayed. */
  #missed = 0

  constructor(options: ReplicaOptions) {
    this.#options = options
    this.#ask = replicaQuestion(options.checks)
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

  get isUsable() {
    return this.#fault === undefined && this.#missed === 0
  }

  /**
   * Runs a read that sees everything up to a position.
   *
   * @throws {ReplicaBehindError} if the replica does not reach the position
   * @throws {Error} if the read fails or takes too long, or the replica falls silent
   */
  async run<Result>(
    { timeline, position }: PrimaryPosition,
    read: (db: Database) => Promise<Result>,
  ): Promise<Result> {
    if (timeline !== this.#timeline) throw new ReplicaBehindError()
    const silence = Promise.withResolvers<never>()
    const abandon = () => silence.reject(new Error(`${this.#options.name} does not respond`))
    this.#running.add(abandon)
    const result = withinOneDeadline(
      () =>
        this.#options.db.connection().execute(async (connection) => {
          const askedAt = await this.#waitFor(position, connection)
          const answer = await read(connection)
          // It may have been promoted and written to in the meantime.
          if (performance.now() - askedAt > MAX_UNCHECKED_MS) await this.#askPosition(connection)
          return answer
        }),
      Math.min(currentDeadline(), READ_DEADLINE_MS),
    )
    // An abandoned read may fail later.
    result.catch(() => {})
    try {
      return await Promise.race([result, silence.promise])
    } finally {
      this.#running.delete(abandon)
    }
  }

  /**
   * Asks on the connection of the read: a replica that has restarted since the last check may be back at an earlier
   * position.
   *
   * @returns monotonic time of the question
   */
  async #waitFor(position: number, connection: Database): Promise<number> {
    const end = performance.now() + MAX_WAIT_MS
    for (let pause = 1; ; pause *= 2) {
      const askedAt = performance.now()
      if ((await this.#askPosition(connection)) >= position) return askedAt
      if (performance.now() + pause > end) break
      await sleep(pause, undefined, { ref: false })
    }
    this.#missed = Math.max(this.#missed, position)
    throw new ReplicaBehindError()
  }

  /** @throws {Error} if the server is not in recovery */
  async #askPosition(connection: Database): Promise<number> {
    const row = await queryRow(connection, REPLAY_POSITION, [])
    if (row?.position == null) throw new Error(`${this.#options.name} is not a standby`)
    return row.position
  }

  stop = () => this.#checks.stop()

  async #check() {
    const [primary, answer] = await Promise.all([
      this.#options.primary.state().catch(() => undefined),
      this.#ask(),
    ])
    if (answer.position !== null && answer.position >= this.#missed) this.#missed = 0
    // Without the primary, the replica cannot be judged, and no read uses it.
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
