import { once } from 'node:events'
import { url as inspectorUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'

/** Time, in seconds, after which a blocked event loop is considered stuck. */
const MAX_BLOCKED_SECONDS = 30

/** Data for the watchdog's thread. */
export type WatchdogData = { beats: SharedArrayBuffer; seconds: number }

/**
 * Kills the process with SIGKILL once its event loop has been blocked for `seconds`, so that its supervisor restarts
 * it. A blocked event loop neither serves requests nor handles SIGTERM.
 *
 * @returns a function that stops the watchdog
 */
export async function startWatchdog(seconds = MAX_BLOCKED_SECONDS): Promise<() => Promise<void>> {
  // The process may be paused in a debugger.
  if (inspectorUrl() !== undefined) return async () => {}
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const workerData: WatchdogData = { beats: beats.buffer, seconds }
  const worker = new Worker(new URL('./watchdog-thread.js', import.meta.url), {
    workerData,
    execArgv: [],
  })
  await once(worker, 'online')
  worker.unref()
  const beating = setInterval(() => Atomics.add(beats, 0, 1), 250).unref()
  return async () => {
    clearInterval(beating)
    await worker.terminate()
  }
}
