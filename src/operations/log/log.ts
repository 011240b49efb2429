import { pino, type Logger } from 'pino'
import { traceContext } from '../../kernel/async/trace-task.ts'
import { summarizeOutages } from './summarize-outages.ts'

/** Maximum number of bytes buffered while the log cannot be written. Further lines are dropped. */
export const MAX_BUFFERED_LOG_BYTES = 1_000_000

function currentTrace() {
  const { trace_id } = traceContext.getStore() ?? {}
  return trace_id === undefined ? {} : { trace_id }
}

/**
 * Opens a log of JSON lines, by default on standard error, because standard output is for the command's result. No
 * code logs secrets; the redacted paths are a safety net.
 */
export function openLog(level: string, file: number | string = 2): Logger {
  const destination = pino.destination({
    dest: file,
    sync: true,
    maxLength: MAX_BUFFERED_LOG_BYTES,
  })
  // A full disk or a closed pipe must not break the code that logs.
  destination.on('error', () => {})
  return pino(
    {
      level,
      base: null,
      mixin: currentTrace,
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
