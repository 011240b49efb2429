import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeSettings } from '../../src/config/config.ts'
import { removeFolder, scratchFolder } from './scratch-folder.ts'

/** Time, in milliseconds, after which a program is killed and its test fails. */
const LIMIT_MS = 600_000

/** Project root, the working directory of `npm start`. */
export const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))

/** Empty settings count as unset, and take precedence over a `.env` file of the checkout. Proxies are disabled. */
const UNSET = {
  ...Object.fromEntries(describeSettings().map(({ name }) => [name, ''])),
  no_proxy: '*',
  NO_PROXY: '*',
}

type Ending = {
  status: number | null
  signal: NodeJS.Signals | null
  output: string
  errors: string
}

/** A running program, started as a user would. */
export type Program = {
  child: ChildProcess
  /** Standard output and standard error so far. */
  output(): string
  errors(): string
  /** Resolves once either stream contains the text. Fails if the program exits first. */
  waitForOutput(text: string): Promise<void>
  ended: Promise<Ending>
  /** Signals the program's process group, and waits for the exit. */
  end(signal?: NodeJS.Signals): Promise<Ending>
}

/** `input` is the whole standard input; null leaves it open, for a test that writes to it. */
export type ProgramOptions = {
  environment?: NodeJS.ProcessEnv
  cwd?: string
  input?: string | null
}

/** Returns the environment of a program: this process's, with only the given settings. */
export const isolatedEnvironment = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...process.env, ...UNSET, ...environment }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )

/** Starts a program in its own process group, with only the given settings. */
export function startProgram(
  [command = '', ...args]: string[],
  { environment = {}, cwd = CHECKOUT, input = '' }: ProgramOptions = {},
): Program {
  const child = spawn(command, args, { cwd, env: isolatedEnvironment(environment), detached: true })
  const streams = { output: '', errors: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (streams.output += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (streams.errors += chunk))
  child.stdin.on('error', () => {})
  if (input !== null) child.stdin.end(input)
  const killGroup = (signal: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    } catch {
      // It has already exited.
    }
  }
  const killAtExit = () => killGroup('SIGKILL')
  process.once('exit', killAtExit)
  const limit = setTimeout(() => {
    streams.errors += `The test stopped the program after ${LIMIT_MS / 1_000} seconds.\n`
    killAtExit()
  }, LIMIT_MS)
  const ended = new Promise<Ending>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status, signal) => {
      process.off('exit', killAtExit)
      clearTimeout(limit)
      resolve({ status, signal, ...streams })
    })
  })
  return {
    child,
    output: () => streams.output,
    errors: () => streams.errors,
    waitForOutput: (expected) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (streams.output.includes(expected) || streams.errors.includes(expected)) resolve()
        }
        child.stdout.on('data', check)
        child.stderr.on('data', check)
        void ended.then(({ status, signal, output, errors }) =>
          reject(
            new Error(
              `It exited (${signal ?? status}) before it printed "${expected}":\n${output}${errors}`,
            ),
          ),
        )
        check()
      }),
    ended,
    end(signal = 'SIGKILL') {
      killGroup(signal)
      return ended
    },
  }
}

/**
 * Starts the command-line program without npm. Disables overload protection, because other tests may keep the machine
 * busy.
 */
export const startMokuroku = (args: string[], { environment, ...options }: ProgramOptions = {}) =>
  startProgram([process.execPath, join(CHECKOUT, 'dist/mokuroku.js'), ...args], {
    ...options,
    environment: { ...(args[0] === 'serve' && { OVERLOAD_PROTECTION: 'off' }), ...environment },
  })

/** Runs the command-line program until it exits. */
export const mokuroku = (args: string[], options: ProgramOptions = {}) =>
  startMokuroku(args, options).ended

/** Creates a folder for one test, deleted at its end. Use `disk` if the test depends on durability. */
export function temporaryFolder(where: 'memory' | 'disk' = 'memory') {
  const path = scratchFolder('test', where)
  return { path, remove: () => removeFolder(path) }
}

/** Requests an app token. The token is empty if the request is rejected. */
export async function requestToken(
  baseUrl: string,
  app: { client_id: string; client_secret?: string; scope: string },
): Promise<{ status: number; token: string }> {
  const response = await fetch(`${baseUrl}/oidc/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${app.client_id}:${app.client_secret ?? ''}`).toString('base64')}`,
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: app.scope }),
  })
  // as: any other response lacks the token, and the test fails
  const { access_token: token = '' } = (await response.json()) as { access_token?: string }
  return { status: response.status, token }
}
