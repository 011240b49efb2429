import { pino, type Logger } from 'pino'
import { summarizeOutages } from './summarize-outages.ts'

/** Characters that wait for a log that cannot be written; what comes then is dropped. */
const MAX_UNWRITTEN = 1_000_000

/** JSON lines on standard error, so that standard output stays the program's answer. Secrets have no way in; these paths are a net. */
export function openLog(level: string, file: number | string = 2): Logger {
  const destination = pino.destination({ dest: file, sync: true, maxLength: MAX_UNWRITTEN })
  // A disk that is full, a pipe that is gone: what cannot be logged must not fail what was to be logged.
  destination.on('error', () => {})
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { logMethod: summarizeOutages() },
      formatters: { level: (label) => ({ level: label }) },
      redact: [
        '*.authorization',
        '*.password',
        '*.client_secret',
        '*.secret',
        '*.token',
        '*.cookie',
      ],
    },
    destination,
  )
}
