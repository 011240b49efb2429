import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import type { Database } from '../database.ts'
import type { DatabaseObserver, WaitCounter } from '../observer.ts'
import { currentDeadline } from '../server/deadlines.ts'
import { openPostgres } from '../server/postgres.ts'
import { primaryProbes, type PrimaryPosition } from './positions.ts'
import type { Reads } from './reads.ts'
import type { ReplicaFault } from './judge.ts'
import { Replica, ReplicaBehindError, type ReplicaState } from './replica.ts'

/** Maximum time, in milliseconds, that closing waits for a server that does not respond. */
const MAX_CLOSE_MS = 1_000

/** Number of reads by server. The primary also ran those in `behind` and `failed`, in place of a replica. */
export type ReadCounts = Record<'replica' | 'primary' | 'behind' | 'failed', number>

export type Replicas = {
  reads: Reads
  states(): ReplicaState[]
  readonly counts: Readonly<ReadCounts>
  close(): Promise<void>
}

type ReplicaSettings = Pick<
  Config,
  'databaseUrl' | 'databaseReplicaUrls' | 'databasePoolSize' | 'databasePreparedStatements'
>

type ReplicaObservers = {
  observer: DatabaseObserver | undefined
  /** Opens a counter for the waiting reads of one replica. */
  countWaits: (() => WaitCounter) | undefined
}

type ReplicaLog = {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
}

const FAULTS: Record<ReplicaFault, string> = {
  unknown: 'it has not been checked yet',
  silent: 'it does not respond',
  promoted: 'it is not a standby',
  foreign: 'it belongs to another cluster',
  timeline: 'it is not on the timeline of the primary',
  behind: 'it is too far behind the primary',
}

/**
 * Opens a pool to each replica and starts to check it. Without replicas, all reads run on the primary.
 *
 * @param db the primary, which runs the reads that no replica can
 */
export function openReplicas(
  settings: ReplicaSettings,
  db: Database,
  log: ReplicaLog,
  { observer, countWaits }: ReplicaObservers,
): Replicas {
  const { databaseUrl, databaseReplicaUrls } = settings
  const counts: ReadCounts = { replica: 0, primary: 0, behind: 0, failed: 0 }
  if (!databaseUrl || databaseReplicaUrls.length === 0)
    return { reads: db, states: () => [], counts, close: async () => {} }

  const opened: { close(): Promise<unknown> }[] = []
  const open = (url: string, poolSize: number, onStatement?: DatabaseObserver['onStatement']) => {
    const server = openPostgres({
      url,
      poolSize,
      preparedStatements: settings.databasePreparedStatements,
      onConnectionError: () => {},
      rejectsWrites: url !== databaseUrl,
      observer: { onStatement },
    })
    opened.push(server)
    return server.db
  }

  const primary = primaryProbes(open(databaseUrl, 1))
  const replicas = databaseReplicaUrls.map(
    (url) =>
      new Replica({
        name: new URL(url).host,
        db: open(url, settings.databasePoolSize, observer?.onStatement),
        checks: open(url, 1),
        primary,
        countWait: countWaits?.(),
        onChange: reportTo(log),
      }),
  )

  let turn = 0
  /** Returns the next of the usable replicas for whose connections the fewest reads wait; undefined without one. */
  function nextReplica() {
    turn += 1
    const usable = replicas.filter(({ isUsable }) => isUsable)
    const fewest = Math.min(...usable.map(({ waiting }) => waiting))
    const next = usable.filter(({ waiting }) => waiting === fewest)
    return next[turn % next.length]
  }

  async function run<Result>(read: (db: Database) => Promise<Result>): Promise<Result> {
    const replica = nextReplica()
    const position = replica && (await findPosition())
    if (replica && position)
      try {
        const result = await replica.run(position, read)
        counts.replica += 1
        return result
      } catch (error) {
        counts[error instanceof ReplicaBehindError ? 'behind' : 'failed'] += 1
      }
    counts.primary += 1
    return read(db)
  }

  /**
   * Returns the position of the primary; undefined if it does not respond. The read then runs on the primary, where it
   * fails or succeeds.
   */
  const findPosition = (): Promise<PrimaryPosition | undefined> =>
    currentDeadline() === 0 ? Promise.resolve(undefined) : primary.position().catch(() => undefined)

  return {
    reads: {
      executeQuery: (query, options) => run((server) => server.executeQuery(query, options)),
      inTransaction: (work) => run((server) => server.transaction().execute(work)),
    },
    states: () => replicas.map(({ state }) => state),
    counts,
    async close() {
      await Promise.all(replicas.map(({ stop }) => stop()))
      // Connections to a server that does not respond would never close.
      const closed = Promise.all(opened.map((server) => server.close()))
      await Promise.race([closed, sleep(MAX_CLOSE_MS, undefined, { ref: false })])
    },
  }
}

/** Logs when a replica stops getting reads, with the reason, and when it gets reads again. */
const reportTo =
  (log: ReplicaLog): ((state: ReplicaState, err: unknown) => void) =>
  ({ name, fault }, err) => {
    if (fault === undefined) log.info({ replica: name }, 'A replica gets reads')
    else
      log.warn(
        { replica: name, ...(err !== undefined && { err }) },
        `A replica gets no reads: ${FAULTS[fault]}`,
      )
  }
