import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../', import.meta.url)

/** Starts a Node process of this project, with standard output and error as text. */
type TestProcess = {
  child: ChildProcess
  output(): string
  errors(): string
  /** Resolves once standard output matches. Fails if the process exits first. */
  waitForOutput(pattern: RegExp): Promise<void>
  /** Resolves to the exit status, or null after a signal, once all output has arrived. */
  ended: Promise<number | null>
  /** Sends SIGKILL, and waits for the exit. */
  kill(): Promise<void>
}

/** @param file from the root of the project */
export function startNode(
  file: string,
  args: string[] = [],
  environment: NodeJS.ProcessEnv = {},
): TestProcess {
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, ROOT)), ...args], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const ended = once(child, 'close').then(() => child.exitCode)
  return {
    child,
    ended,
    output: () => output,
    errors: () => errors,
    waitForOutput: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => pattern.test(output) && resolve()
        child.stdout.on('data', check)
        void ended.then(() =>
          reject(new Error(`ended before it printed ${String(pattern)}: ${errors}`)),
        )
        check()
      }),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
