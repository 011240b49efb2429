import type { Database } from '../database.ts'
import { queryRows } from '../query.ts'
import { withDeadline } from '../server/deadlines.ts'
import { statement, type Statement } from '../statement.ts'

/** Positions are bytes of WAL since the cluster was created. */
export type PrimaryPosition = { timeline: number; position: number }
export type PrimaryState = PrimaryPosition & { system: string }

/** State of a replica. `position` is null if the server is not in recovery, and `timeline` if it is unknown. */
export type ReplicaAnswer = { system: string; timeline: number | null; position: number | null }

/** Time, in milliseconds, after which a server that does not tell its position counts as silent. */
export const SILENCE_MS = 1_000

/**
 * Position that includes every transaction whose effects are visible on the primary. A commit is flushed before it
 * becomes visible, except with `synchronous_commit = off`.
 */
const POSITION = `
    ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer as timeline,
    case current_setting('synchronous_commit')
      when 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn()
    end - '0/0'::pg_lsn as position`

const PRIMARY_POSITION = statement('db.primary_position').returning<PrimaryPosition>(
  `select ${POSITION}`,
)

// Reads the control file, which takes longer than the position alone.
const PRIMARY_STATE = statement('db.primary_state').returning<PrimaryState>(
  `select system_identifier::text as system, ${POSITION} from pg_control_system()`,
)

/** Null if the server is not in recovery. */
const REPLAYED = `
    case when pg_is_in_recovery() then pg_last_wal_replay_lsn() - '0/0'::pg_lsn end as position`

/** A later statement of the same session sees everything up to the position. */
export const REPLAY_POSITION = statement('db.replay_position').returning<{
  position: number | null
}>(`select ${REPLAYED}`)

/**
 * The receiver knows its timeline at once, but tells only members of `pg_read_all_stats`. The control file learns of a
 * new timeline at the next restart point.
 */
const REPLICA_STATE = statement('db.replica_state').returning<ReplicaAnswer>(`
  select
    system_identifier::text as system,
    coalesce(
      (select received_tli from pg_stat_wal_receiver),
      greatest(last.timeline_id, recovery.min_recovery_end_timeline)
    ) as timeline,
    ${REPLAYED}
  from pg_control_system(), pg_control_checkpoint() last, pg_control_recovery() recovery`)

/**
 * Returns a function that runs `ask` once at a time. Callers that arrive during a run share the next one, so every answer
 * is newer than the call.
 */
export function sharedQuestion<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let current: Promise<Answer> | undefined
  let next: Promise<Answer> | undefined
  const start = () => {
    next = undefined
    const started = ask().finally(() => {
      if (current === started) current = undefined
    })
    current = started
    return started
  }
  return () => {
    if (!current) return start()
    next ??= current.then(start, start)
    return next
  }
}

/** Returns the only row of a statement, within the time for an answer. */
const ask = <Row>(db: Database, question: Statement<Row, readonly []>) =>
  sharedQuestion(() =>
    withDeadline(SILENCE_MS, async () => {
      const [row] = await queryRows(db, question, [])
      if (!row) throw new Error('The server did not tell its position')
      return row
    }),
  )

/** @param db one connection to the primary, so that a question never waits for other statements */
export const primaryQuestions = (db: Database) => ({
  position: ask(db, PRIMARY_POSITION),
  state: ask(db, PRIMARY_STATE),
})
export type PrimaryQuestions = ReturnType<typeof primaryQuestions>

/** @param db one connection to the replica */
export const replicaQuestion = (db: Database) => ask(db, REPLICA_STATE)
