import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { closeAtEnd } from './shared-cleanup.ts'
import { CHECKOUT, isolatedEnvironment } from './program.ts'

export type CommandRequest = {
  args: string[]
  environment: Record<string, string>
  /** Whole standard input. */
  input: string
}

export type CommandResult = { status: number; output: string; errors: string }

/** Maximum time, in milliseconds, for one command. */
const LIMIT_MS = 150_000

let host: ChildProcess | undefined
let last: Promise<unknown> = Promise.resolve()

closeAtEnd(async () => {
  host?.kill('SIGKILL')
})

function startHost(): ChildProcess {
  const started = fork(fileURLToPath(import.meta.resolve('./command-host.ts')), {
    cwd: CHECKOUT,
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  started.once('exit', () => {
    if (host === started) host = undefined
  })
  return started
}

/**
 * Runs a command of the built program in a process that later commands reuse, one at a time: starting the program
 * takes ten times as long as most commands. Tests of the process itself (signals, streams, working directory,
 * concurrency) start one with `mokuroku` of `program.ts`.
 */
export function runCommand(
  args: string[],
  { environment = {}, input = '' }: { environment?: NodeJS.ProcessEnv; input?: string } = {},
): Promise<CommandResult> {
  const settings = isolatedEnvironment(environment)
  const ended = last.then(() => send({ args, environment: settings, input }))
  last = ended.catch(() => {})
  return ended
}

async function send(request: CommandRequest): Promise<CommandResult> {
  const running = (host ??= startHost())
  const limit = setTimeout(() => running.kill('SIGKILL'), LIMIT_MS)
  const settled = new AbortController()
  const { signal } = settled
  const exited = once(running, 'exit', { signal }).then(([status, cause]) => {
    throw new Error(
      `The process of commands ended (${cause ?? status}) during ${request.args.join(' ')}`,
    )
  })
  try {
    running.send(request)
    // as: the host sends nothing else
    const [ending] = (await Promise.race([once(running, 'message', { signal }), exited])) as [
      CommandResult,
    ]
    return ending
  } finally {
    clearTimeout(limit)
    exited.catch(() => {})
    settled.abort()
  }
}
