import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Children } from './children.ts'

export type StatementLoad = {
  databaseUrl: string
  /** The statement as the service sends it; its `$1` becomes a random id of 1 to `ids`. */
  sql: string
  ids: number
  connections: number
  seconds: number
  /** For the script. */
  folder: string
}

/**
 * Has pgbench run one prepared statement over and over.
 *
 * @param binaries folder of the server's programs, when it is known
 * @returns statements a second
 */
export async function pgbench(
  children: Children,
  binaries: string,
  { databaseUrl, sql, ids, connections, seconds, folder }: StatementLoad,
): Promise<number> {
  const script = join(folder, 'pgbench.sql')
  writeFileSync(script, `\\set id random(1, ${ids})\n${oneRow(sql)};\n`)
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
 * The statement for one id, as pgbench writes it. pgbench takes a colon before a letter for a variable, even inside a
 * literal; the only ones are in the patterns of `to_char`, where a quoted colon says the same.
 */
function oneRow(sql: string) {
  return sql
    .replaceAll(/:(?=MI|SS)/g, '":"')
    .replace('any($1::bigint[])', ':id')
    .replaceAll('$1', ':id')
}
