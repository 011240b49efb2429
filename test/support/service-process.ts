import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestDatabase } from './databases.ts'
import { freePort } from './free-port.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export type ServiceProcess = {
  url: string
  /** Id of the service's process, or of the primary of several workers. */
  pid: number
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

/**
 * Starts `mokuroku serve` as its own process, and waits until it is listening.
 *
 * @param shell commands that limit the process before it starts, such as `ulimit -n 256`
 */
export async function spawnService(
  environment: NodeJS.ProcessEnv,
  shell = '',
): Promise<ServiceProcess> {
  const port = Number(environment['PORT'] ?? (await freePort()))
  const program = [process.execPath, 'dist/mokuroku.js', 'serve', '--no-demo']
  const [command = '', ...args] =
    shell === '' ? program : ['sh', '-c', `${shell} && exec "$@"`, 'sh', ...program]
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, HOST: '127.0.0.1', PORT: String(port), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code)),
  )
  const killAtExit = () => void child.kill('SIGKILL')
  process.once('exit', killAtExit)
  void ended.then(() => process.off('exit', killAtExit))
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
    pid: child.pid ?? 0,
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
