import { sql } from 'kysely'

/** SQL for the time in the given number of seconds, by the clock of the database. */
export const secondsFromNow = (seconds: number) =>
  sql<Date>`now() + make_interval(secs => ${seconds}::double precision)`
