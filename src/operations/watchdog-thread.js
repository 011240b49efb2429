import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

/** The thread of the watchdog: it has an event loop of its own, and no types to be stripped first. */

/** @type {import('./watchdog.ts').WatchdogData} */
const { beats: buffer, seconds } = workerData
const beats = new Int32Array(buffer)
let lastBeat = -1
/** Looks, and not the clock: a process that was suspended as a whole has missed none. */
let missed = 0

setInterval(() => {
  const beat = Atomics.load(beats, 0)
  missed = beat === lastBeat ? missed + 1 : 0
  lastBeat = beat
  if (missed < seconds) return
  tell()
  process.kill(process.pid, 'SIGKILL')
}, 1_000)

function tell() {
  const line = {
    level: 'fatal',
    time: new Date().toISOString(),
    msg: `Standing still for ${seconds} s: ending`,
  }
  try {
    writeSync(2, `${JSON.stringify(line)}\n`)
  } catch {
    // The end matters more than the word.
  }
}
