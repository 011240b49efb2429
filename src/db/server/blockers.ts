import { statement } from '../statement.ts'

/** A database session that holds a lock for which another session waits. */
export type Blocker = {
  pid: number
  user: string | null
  /** Null if this role may not see the session. */
  application: string | null
  state: string | null
  /** Start of its transaction. */
  since: Date | null
  /** Locked table, or null for a lock on something else. */
  table: string | null
  /** Start of the text of its current or last statement. */
  query: string | null
}

/** Lists the sessions that block session `$1`, ordered by pid. The server knows them only during the wait. */
export const FIND_BLOCKERS = statement('db.find_blockers').returning<Blocker>(`
  select
    pid, usename as "user", application_name as application, state, xact_start as since,
    (
      select relation::regclass::text
      from pg_locks
      where pid = $1 and relation is not null and (not granted or locktype = 'tuple')
      limit 1
    ) as "table",
    left(query, 200) as query
  from pg_stat_activity
  where pid = any(pg_blocking_pids($1))
  order by pid`)

/**
 * Describes which lock a statement waits for, which sessions hold it, and what to do about it.
 *
 * @param isOver whether the statement has failed
 */
export function explainBlockers(blockers: Blocker[], isOver: boolean): string {
  const sessions = blockers.map(({ pid, user, application, state, since }) => {
    const facts = [
      application,
      user && `user ${user}`,
      state,
      since && `since ${since.toISOString()}`,
    ].filter(Boolean)
    return `database session ${pid}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
  })
  const table = blockers.find((blocker) => blocker.table !== null)?.table
  const lock = table === undefined ? 'lock' : `lock on table ${table}`
  const pid = blockers.length === 1 ? blockers[0]?.pid : 'PID'
  const advice =
    `${sessions.join(' and ') || 'another database session'} ${sessions.length > 1 ? 'hold' : 'holds'} it. ` +
    `Let it finish, or end it with select pg_terminate_backend(${pid})`
  return isOver
    ? `A ${lock} was not granted in time: ${advice}, and try again.`
    : `Waiting for a ${lock}: ${advice}.`
}
