import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Children } from './children.ts'

export type StatementLoad = {
  databaseUrl: string
  /** What one transaction does, as pgbench takes it: `\\set` of its variables, then statements. */
  script: string
  connections: number
  seconds: number
  /** For the script. */
  folder: string
}

/**
 * Has pgbench run prepared statements over and over.
 *
 * @param binaries folder of the server's programs, when it is known
 * @returns transactions a second
 */
export async function pgbench(
  children: Children,
  binaries: string,
  { databaseUrl, script: text, connections, seconds, folder }: StatementLoad,
): Promise<number> {
  const script = join(folder, 'pgbench.sql')
  writeFileSync(script, text)
  const beside = join(binaries, 'pgbench')
  const options = [
    '--no-vacuum',
    '--protocol=prepared',
    '--jobs=1',
    `--client=${connections}`,
    `--time=${seconds}`,
  ]
  const program = existsSync(beside) ? beside : 'pgbench'
  const output = await children.run([program, ...options, `--file=${script}`, databaseUrl])
  const perSecond = Number(/tps = ([\d.]+)/.exec(output)?.[1])
  if (!perSecond) throw new Error(`pgbench said no speed: ${output}`)
  return perSecond
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
