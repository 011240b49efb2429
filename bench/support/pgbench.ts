import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endedChildrenTime, timePerRequest } from './processor-time.ts'
import { compare, type Speed } from './rounds.ts'
import type { ServerProcess } from './children.ts'
import { speedOf } from './speed.ts'
import type { Stage } from './stage.ts'

/** Default size of the service's connection pool. */
export const CONNECTIONS = 8

type PgbenchDatabase = { databaseUrl: string | undefined }

/** Compares a load on the service with pgbench, which runs the script in the same database. */
export const compareWithStatement = (
  stage: Stage,
  service: ServerProcess,
  database: PgbenchDatabase,
  script: string,
  load: Parameters<typeof speedOf>[2],
) => compare(stage, pgbench(stage, database, script), speedOf(stage, service, load, 'database'))

/**
 * Returns one side of a comparison: pgbench runs prepared statements repeatedly. It returns transactions per second
 * and the processor time of pgbench and PostgreSQL per transaction.
 *
 * @param text one transaction in pgbench syntax: a `\\set` command for each variable, then the statements
 */
export function pgbench(
  stage: Stage,
  { databaseUrl = '' }: PgbenchDatabase,
  text: string,
): () => Promise<Speed> {
  return async () => {
    const { children, seconds, folder } = stage
    const script = join(folder, 'pgbench.sql')
    writeFileSync(script, text)
    // Look next to the server's programs, if their folder is known.
    const workDirectory = join((await stage.postgres()).origin, 'pgbench')
    const options = [
      '--no-vacuum',
      '--protocol=prepared',
      '--jobs=1',
      `--client=${CONNECTIONS}`,
      `--time=${seconds}`,
    ]
    const program = existsSync(workDirectory) ? workDirectory : 'pgbench'
    const [before, databaseBefore] = [endedChildrenTime(process.pid), await stage.databaseTime()]
    const output = await children.run([program, ...options, `--file=${script}`, databaseUrl])
    const [after, databaseAfter] = [endedChildrenTime(process.pid), await stage.databaseTime()]
    const perSecond = Number(/tps = ([\d.]+)/.exec(output)?.[1])
    const done = Number(/actually processed: (\d+)/.exec(output)?.[1])
    if (!perSecond || !done) throw new Error(`pgbench said no speed: ${output}`)
    return {
      perSecond,
      cpu: timePerRequest(before, after, done),
      database: timePerRequest(databaseBefore, databaseAfter, done),
    }
  }
}

/**
 * Converts a statement to pgbench syntax. Replaces its parameters and every colon before a letter or digit, because
 * pgbench would read a variable even inside a literal. Such colons occur in `to_char` patterns, where a quoted colon
 * is equivalent, and in JSON.
 *
 * @param parameters SQL for each `$n`, by n
 */
export function pgbenchStatement(sql: string, parameters: Record<number, string>): string {
  const text = sql.replaceAll(/:(?=MI|SS)/g, '":"').replaceAll(/(?<="):(?=\w)/g, ': ')
  return text.replaceAll(/\$(\d+)/g, (whole, number: string) => parameters[Number(number)] ?? whole)
}
