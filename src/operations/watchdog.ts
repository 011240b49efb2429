import { once } from 'node:events'
import { url as inspectorUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'

/** An event loop that has stood still for so long will not turn again. In seconds. */
const MAX_STANDSTILL_SECONDS = 30

/** What the thread of the watchdog is given. */
export type WatchdogData = { beats: SharedArrayBuffer; seconds: number }

/**
 * Ends the process, by SIGKILL, once its event loop has stood still for `seconds`, so that whoever started it starts it
 * anew: a loop that stands still answers nothing and hears no SIGTERM.
 *
 * @returns stops watching
 */
export async function startWatchdog(
  seconds = MAX_STANDSTILL_SECONDS,
): Promise<() => Promise<void>> {
  // Somebody holds it in a debugger.
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
