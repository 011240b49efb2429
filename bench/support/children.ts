import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { treeTime } from './processor-time.ts'

/** A server in a process of its own. */
export type ServerProcess = {
  /** Where it listens, without a slash at the end. */
  url: string
  /** Processor time it has used since its start, in microseconds; undefined where the system does not say it. */
  cpuTime(): number | undefined
  /** Resident memory in bytes: now, and at its highest. */
  memory(): { now: number; peak: number }
  stop(): Promise<void>
}

/** Every process a run has started, so that none outlives it. */
export class Children {
  readonly #running = new Set<ChildProcess>()
  #closed = false

  /** Starts a server with this environment only, and waits for the line `{"listening": URL}` on its standard output. */
  async serve(command: string[], environment: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
    const child = this.#spawn(command, environment)
    const url = await firstAddress(child)
    return {
      url,
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
   * @param environment beside the path and the home folder
   * @returns what it wrote to standard output
   * @throws {Error} when it ends with another status than 0; the message has what it wrote to standard error
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

  /** Whether the run was stopped, so that nothing more can be started. */
  get isClosed() {
    return this.#closed
  }

  /** Ends what runs now; more may be started. */
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

async function firstAddress(child: ChildProcess): Promise<string> {
  if (!child.stdout || !child.stderr) throw new Error('A server is started with pipes')
  let complaint = ''
  child.stderr.on(
    'data',
    (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-4_000)),
  )
  child.once('error', (error) => (complaint = error.message))
  for await (const line of createInterface(child.stdout)) {
    const address = /"listening":\s*"([^"]+)"/.exec(line)?.[1]
    if (address) return address
  }
  throw new Error(`A server did not start: ${complaint}`)
}

/** Asks a process to end, and after ten seconds makes it. */
async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(force)
}
