import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endedChildrenTime, timePerRequest } from './processor-time.ts'
import type { Speed } from './rounds.ts'
import type { Stage } from './stage.ts'

export type StatementLoad = {
  databaseUrl: string
  /** What one transaction does, as pgbench takes it: `\\set` of its variables, then statements. */
  script: string
  connections: number
}

/**
 * What a round of a comparison calls: pgbench runs prepared statements over and over.
 *
 * @returns transactions a second, with the processor time of pgbench and of PostgreSQL for one
 */
export function pgbench(
  stage: Stage,
  { databaseUrl, script: text, connections }: StatementLoad,
): () => Promise<Speed> {
  return async () => {
    const { children, seconds, folder } = stage
    const script = join(folder, 'pgbench.sql')
    writeFileSync(script, text)
    // Beside the server's programs, when it is known where they are.
    const beside = join((await stage.postgres()).origin, 'pgbench')
    const options = [
      '--no-vacuum',
      '--protocol=prepared',
      '--jobs=1',
      `--client=${connections}`,
      `--time=${seconds}`,
    ]
    const program = existsSync(beside) ? beside : 'pgbench'
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
 * A statement as pgbench takes it: its parameters replaced, and no colon before a letter or a digit, which would be a
 * variable even inside a literal; those are in patterns of `to_char`, where a quoted colon says the same, and in JSON.
 *
 * @param parameters SQL for each `$n`, by n
 */
export function pgbenchStatement(sql: string, parameters: Record<number, string>): string {
  const text = sql.replaceAll(/:(?=MI|SS)/g, '":"').replaceAll(/(?<="):(?=\w)/g, ': ')
  return text.replaceAll(/\$(\d+)/g, (whole, number: string) => parameters[Number(number)] ?? whole)
}
