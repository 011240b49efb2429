import { coalesce } from '../../kernel/async/coalesce.ts'
import type { Database } from '../database.ts'
import { queryRows } from '../query.ts'
import { withDeadline } from '../server/deadlines.ts'
import { statement, type Statement } from '../statement.ts'

/** Position in the WAL, in bytes since the cluster was created. */
export type PrimaryPosition = { timeline: number; position: number }
export type PrimaryState = PrimaryPosition & { system: string }

/** State of a replica. `position` is null unless the server is in recovery. `timeline` is null if unknown. */
export type ReplicaPosition = { system: string; timeline: number | null; position: number | null }

/** Time, in milliseconds, after which a server that does not report its position counts as unresponsive. */
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

// Reading the control file takes longer than reading the position alone.
const PRIMARY_STATE = statement('db.primary_state').returning<PrimaryState>(
  `select system_identifier::text as system, ${POSITION} from pg_control_system()`,
)

/** Replayed position; null unless the server is in recovery. */
const REPLAYED = `
    case when pg_is_in_recovery() then pg_last_wal_replay_lsn() - '0/0'::pg_lsn end as position`

/** Replayed position. A later statement of the same session sees everything up to it. */
export const REPLAY_POSITION = statement('db.replay_position').returning<{
  position: number | null
}>(`select ${REPLAYED}`)

/**
 * The WAL receiver knows its timeline at once, but shows it only to members of `pg_read_all_stats`. The control file
 * gets a new timeline at the next restart point.
 */
const REPLICA_STATE = statement('db.replica_state').returning<ReplicaPosition>(`
  select
    system_identifier::text as system,
    coalesce(
      (select received_tli from pg_stat_wal_receiver),
      greatest(last.timeline_id, recovery.min_recovery_end_timeline)
    ) as timeline,
    ${REPLAYED}
  from pg_control_system(), pg_control_checkpoint() last, pg_control_recovery() recovery`)

/** Returns a function that runs a statement for its only row, with a deadline. */
const probe = <Row>(db: Database, query: Statement<Row, readonly []>) =>
  coalesce(0, () =>
    withDeadline(SILENCE_MS, async () => {
      const [row] = await queryRows(db, query, [])
      if (!row) throw new Error('The server did not report its position')
      return row
    }),
  )

/** @param db handle with one connection to the primary, so that a probe never waits for other statements */
export const primaryProbes = (db: Database) => ({
  position: probe(db, PRIMARY_POSITION),
  state: probe(db, PRIMARY_STATE),
})
export type PrimaryProbes = ReturnType<typeof primaryProbes>

/** @param db handle with one connection to the replica */
export const replicaProbe = (db: Database) => probe(db, REPLICA_STATE)
