import { spawnSync } from 'node:child_process'

/**
 * Runs a program and returns its standard output.
 *
 * @throws {Error} with the output of a program that fails
 */
export function execute(program: string, args: string[], cwd?: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`)
  return stdout
}
