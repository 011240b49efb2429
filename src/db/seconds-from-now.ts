import { sql } from 'kysely'

/** SQL for the time that is this many seconds ahead by the clock of the database. */
export const secondsFromNow = (seconds: number) =>
  sql<Date>`now() + make_interval(secs => ${seconds}::double precision)`
