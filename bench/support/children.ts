import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { treeTime } from './processor-time.ts'

/** A server in its own process. */
export type ServerProcess = {
  /** Base URL without a trailing slash. */
  url: string
  pid: number
  /** Processor time used since the start, in microseconds. Undefined if the system does not report it. */
  cpuTime(): number | undefined
  /** Current and peak resident memory, in bytes. */
  memory(): { now: number; peak: number }
  stop(): Promise<void>
}

/** All processes that a run has started, so that none outlives it. */
export class Children {
  readonly #running = new Set<ChildProcess>()
  #closed = false

  /** Starts a server with exactly this environment. Resolves when it prints `{"listening": URL}` to standard output. */
  async serve(command: string[], environment: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
    const child = this.#spawn(command, environment)
    const url = await firstUrl(child)
    return {
      url,
      pid: child.pid ?? 0,
      cpuTime: () => treeTime(child.pid ?? 0),
      memory() {
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
        return { now: bytesIn(status, 'VmRSS'), peak: bytesIn(status, 'VmHWM') }
      },
      stop: () => end(child),
    }
  }

  /**
   * Runs a program to its end.
   *
   * @param environment in addition to PATH and HOME
   * @returns its standard output
   * @throws {Error} if its exit status is not 0; the message contains its standard error
   */
  async run(command: string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
    const child = this.#spawn(command, environment)
    let output = ''
    let complaint = ''
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr?.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
    const status = await new Promise((resolve, reject) =>
      child.once('error', reject).once('close', resolve),
    )
    if (status !== 0)
      throw new Error(`${command[0]} failed (${String(status)}): ${complaint || output}`)
    return output
  }

  /** True if the run was stopped, so that nothing more can start. */
  get isClosed() {
    return this.#closed
  }

  /** Ends all running processes. More can be started afterwards. */
  async endRunning() {
    await Promise.all([...this.#running].map(end))
  }

  async stopAll() {
    this.#closed = true
    await this.endRunning()
  }

  #spawn([program = '', ...args]: string[], environment: NodeJS.ProcessEnv) {
    if (this.#closed) throw new Error('The run was stopped')
    const child = spawn(program, args, {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#running.add(child)
    child.once('close', () => this.#running.delete(child))
    return child
  }
}

function bytesIn(status: string, name: string) {
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
}

async function firstUrl(child: ChildProcess): Promise<string> {
  if (!child.stdout || !child.stderr) throw new Error('A server is started with pipes')
  let complaint = ''
  child.stderr.on(
    'data',
    (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-4_000)),
  )
  child.once('error', (error) => (complaint = error.message))
  for await (const line of createInterface(child.stdout)) {
    const url = /"listening":\s*"([^"]+)"/.exec(line)?.[1]
    if (url) return url
  }
  throw new Error(`A server did not start: ${complaint}`)
}

/** Sends SIGTERM to a process, and SIGKILL after ten seconds. */
async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(force)
}
