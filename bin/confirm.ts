import { createInterface } from 'node:readline/promises'
import { UsageError } from './usage-error.ts'

/** Option of every command that cannot be undone. */
export const YES_OPTION = ['-y, --yes', 'do not ask for confirmation'] as const

export type ConfirmOptions = { yes?: boolean }

/**
 * Asks for confirmation on the terminal, unless `--yes` was given.
 *
 * @param question called only if the terminal is asked
 * @throws {UsageError} if standard input is not a terminal
 */
export async function confirm({ yes }: ConfirmOptions, question: () => string | Promise<string>) {
  if (yes) return true
  if (!process.stdin.isTTY)
    throw new UsageError('Confirmation requires a terminal. Add --yes to skip it.')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${await question()} [y/N] `)
  terminal.close()
  return /^y(es)?$/i.test(answer.trim())
}
