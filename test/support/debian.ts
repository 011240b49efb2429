import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from './execute.ts'
import { missingProgram } from './required-programs.ts'

/** Debian release of the manual and of the container's base image. */
const RELEASE = 'trixie'

/** Installs a minimal Debian into a folder that does not exist yet. */
export const makeDebian = (root: string, packages: string[] = []) =>
  execute('debootstrap', [
    '--variant=minbase',
    ...(packages.length > 0 ? [`--include=${packages.join(',')}`] : []),
    RELEASE,
    root,
  ])

/**
 * Makes programs in a folder trust the authorities that this machine adds to those of Node.
 *
 * @returns environment variables for these programs
 */
export function trustAuthorities(root: string): string[] {
  const [from, to] = [process.env['NODE_EXTRA_CA_CERTS'], '/etc/authorities.pem']
  if (!from) return []
  copyFileSync(from, join(root, to))
  return [`NODE_EXTRA_CA_CERTS=${to}`]
}

/** Returns false and says why if this machine cannot run a program of the tests. In CI, that is a failure. */
export function requirePrograms(packages: string[]): boolean {
  const missing = [
    ...packages.map((name) => missingProgram(name, name)),
    process.getuid?.() === 0 ? false : 'it needs root',
  ].filter((reason) => reason !== false)
  if (missing.length === 0) return true
  console.error(`Skipped: ${missing.join('; ')}`)
  if (process.env['CI'] === 'true') process.exitCode = 1
  return false
}

/** Runs a step and prints how long it took. */
export async function timeStep(step: string, work: () => unknown) {
  const begun = performance.now()
  await work()
  console.log(`${step}: ${Math.round((performance.now() - begun) / 1_000)} s`)
}
