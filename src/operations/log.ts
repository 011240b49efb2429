import { pino, type Logger } from 'pino'

/** JSON lines on standard error, so that standard output stays the program's answer. Secrets have no way in; these paths are a net. */
export function openLog(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['*.authorization', '*.password', '*.client_secret', '*.secret', '*.token', '*.cookie'],
    },
    pino.destination({ dest: 2, sync: true }),
  )
}
