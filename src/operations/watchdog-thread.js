import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

/** Watchdog thread, with its own event loop. The file is JavaScript, so that it starts without type stripping. */

/** @type {import('./watchdog.ts').WatchdogData} */
const { beats: buffer } = workerData
const beats = new Int32Array(buffer)
let lastBeat = -1
/**
 * Number of checks without a new beat. Counting checks instead of measuring time excludes the time for which the
 * process was suspended.
 */
let missed = 0

setInterval(() => {
  const beat = Atomics.load(beats, 0)
  missed = beat === lastBeat ? missed + 1 : 0
  lastBeat = beat
  const seconds = Atomics.load(beats, 1)
  if (missed < seconds) return
  logReason(seconds)
  process.kill(process.pid, 'SIGKILL')
}, 1_000)

/** @param {number} seconds */
function logReason(seconds) {
  const line = {
    level: 'fatal',
    time: new Date().toISOString(),
    msg: `The event loop was blocked for ${seconds} s: killing the process`,
  }
  try {
    writeSync(2, `${JSON.stringify(line)}\n`)
  } catch {
    // Killing the process matters more than the log line.
  }
}
