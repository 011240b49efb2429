import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { DatabaseCheck } from '../check.ts'
import { warning, type Finding } from '../finding.ts'

type Session = {
  pid: number
  application: string
  /** Duration of its transaction, in seconds. */
  seconds: number
  /** Session that holds a lock for which this one waits; null if it waits for none. */
  blocker: number | null
  blocking_application: string | null
  /** Duration of the wait, in seconds. */
  waiting: number | null
}

const LIST_SESSIONS = statement('doctor.list_sessions').returning<Session>(`
  select
    session.pid,
    coalesce(nullif(session.application_name, ''), '?') as application,
    extract(epoch from clock_timestamp() - session.xact_start)::integer as seconds,
    blocker.pid as blocker,
    coalesce(nullif(blocker.application_name, ''), '?') as blocking_application,
    case when blocker.pid is not null
      then extract(epoch from clock_timestamp() - session.state_change)::integer end as waiting
  from pg_stat_activity session
  left join lateral (select unnest(pg_blocking_pids(session.pid)) as pid limit 1) holder on true
  left join pg_stat_activity blocker on blocker.pid = holder.pid
  where session.datname = current_database() and session.xact_start is not null and session.pid <> pg_backend_pid()
  order by session.xact_start`)

/** Finds old transactions, and sessions that wait for a lock. */
export const sessionsCheck: DatabaseCheck = {
  id: 'sessions',
  applies: ({ engine }) => engine === 'server',
  async run({ db, limits }) {
    const sessions = await queryRows(db, LIST_SESSIONS, [])
    return sessions.flatMap((session): Finding[] => {
      const { pid, application, seconds, blocker, blocking_application, waiting } = session
      if (blocker !== null && (waiting ?? 0) >= limits.waitSeconds)
        return [
          warning('sessions.blocked', {
            params: {
              pid,
              seconds: waiting ?? 0,
              blocker,
              application: blocking_application ?? '?',
            },
          }),
        ]
      return seconds >= limits.transactionSeconds
        ? [warning('sessions.long_transaction', { params: { pid, application, seconds } })]
        : []
    })
  },
}
