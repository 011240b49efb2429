import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestDatabase } from './databases.ts'
import { freePort } from './postgres.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export type ServiceProcess = {
  url: string
  /** Everything it has printed and logged. */
  output(): string
  /** Sends it a signal, and does not wait for its end. */
  signal(name: NodeJS.Signals): void
  /**
   * Stops it.
   *
   * @returns the exit status, or the signal that ended it
   */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

/** Starts `mokuroku serve` as its own process, and waits until it is listening. */
export async function spawnService(environment: NodeJS.ProcessEnv): Promise<ServiceProcess> {
  const port = await freePort()
  const child = spawn(process.execPath, ['dist/mokuroku.js', 'serve', '--no-demo'], {
    cwd: ROOT,
    env: { ...process.env, HOST: '127.0.0.1', PORT: String(port), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code)),
  )
  process.once('exit', () => child.kill('SIGKILL'))
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('mokuroku listens on')) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void ended.then((status) =>
      reject(new Error(`serve ended (${status}) before it listened:\n${output}`)),
    )
  })
  return {
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    signal: (name) => child.kill(name),
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** Starts another process of a service, on the same database and with the same address of its pages. */
export const spawnAnother = (
  { databaseUrl, dataDir }: TestDatabase,
  { url }: { url: string },
  environment: NodeJS.ProcessEnv = {},
) => spawnService({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, AUTH_URL: url, ...environment })
