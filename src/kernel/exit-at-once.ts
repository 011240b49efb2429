import { writeSync } from 'node:fs'

/** Ends the process after a failure that leaves no time for the log, which writes asynchronously. */
export function exitAtOnce(msg: string): never {
  try {
    writeSync(2, `${JSON.stringify({ level: 'fatal', time: new Date().toISOString(), msg })}\n`)
  } catch {
    // Ending the process matters more than the log line.
  }
  process.exit(1)
}
