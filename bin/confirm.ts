import { createInterface } from 'node:readline/promises'
import { UsageError } from './usage-error.ts'

/** What every command takes that cannot be undone. */
export const YES_OPTION = ['-y, --yes', 'do not ask'] as const

export type ConfirmOptions = { yes?: boolean }

/**
 * Whether to go on, by `--yes` or the answer of whoever is there.
 *
 * @param question is made only when it is asked
 * @throws {UsageError} when nobody is there to be asked
 */
export async function confirmed({ yes }: ConfirmOptions, question: () => string | Promise<string>) {
  if (yes) return true
  if (!process.stdin.isTTY) throw new UsageError('Nobody is there to be asked. Add --yes.')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${await question()} [y/N] `)
  terminal.close()
  return /^y(es)?$/i.test(answer.trim())
}
