import { once } from 'node:events'
import { url as inspectorUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import { COMMAND_STATEMENTS } from '../db/embedded/command-statements.ts'

/** Time, in seconds, after which a blocked event loop is considered stuck. */
const MAX_BLOCKED_SECONDS = 30
/**
 * Same, in seconds, while this process runs a statement of a command. Statements that import a full dump may take
 * minutes.
 */
const MAX_COMMAND_SECONDS = 1_800

/**
 * Data for the watchdog's thread.
 *
 * @property beats two numbers: a count that increases, and the seconds after which the event loop is stuck
 */
export type WatchdogData = { beats: SharedArrayBuffer }

/**
 * Kills the process with SIGKILL once its event loop has been blocked for `seconds`, so that its supervisor restarts
 * it. A blocked event loop neither serves requests nor handles SIGTERM.
 *
 * @returns a function that stops the watchdog
 */
export async function startWatchdog(seconds = MAX_BLOCKED_SECONDS): Promise<() => Promise<void>> {
  // The process may be paused in a debugger.
  if (inspectorUrl() !== undefined) return async () => {}
  const beats = new Int32Array(new SharedArrayBuffer(8))
  const setLimit = (isCommand: unknown) =>
    Atomics.store(beats, 1, isCommand === true ? MAX_COMMAND_SECONDS : seconds)
  setLimit(false)
  COMMAND_STATEMENTS.subscribe(setLimit)
  const workerData: WatchdogData = { beats: beats.buffer }
  const worker = new Worker(new URL('./watchdog-thread.js', import.meta.url), {
    workerData,
    execArgv: [],
  })
  await once(worker, 'online')
  worker.unref()
  const beating = setInterval(() => Atomics.add(beats, 0, 1), 250).unref()
  return async () => {
    clearInterval(beating)
    COMMAND_STATEMENTS.unsubscribe(setLimit)
    await worker.terminate()
  }
}
