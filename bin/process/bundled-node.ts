import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'

const SYSTEM = process.platform === 'win32' ? 'win' : process.platform
const PREFIX = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
const FILE = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'

/** Signals that a terminal or a supervisor sends to the process that it started. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const

/** Returns the path of the Node that is installed with this package, or `undefined` on platforms without one. */
export function findBundledNode(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url)
    return resolve(`${PREFIX}-${SYSTEM}-${process.arch}/${FILE}`)
  } catch {
    return undefined
  }
}

/**
 * Runs this program with another Node, for installations whose `PATH` has an older one: of npm 9, pnpm and bun, and with
 * `npm install --global`. Replaces this process if its Node can, or passes on signals and the exit status.
 */
export function runWith(node: string): void {
  const args = process.argv.slice(1)
  if (process.platform !== 'win32') process.execve?.(node, [node, ...args], process.env)
  const child = spawn(node, args, { stdio: 'inherit' })
  for (const name of SIGNALS) process.on(name, () => child.kill(name))
  child.on('exit', (status) => (process.exitCode = status ?? 1))
}
