import type { Logger } from 'pino'

/** A stop that takes longer is cut off; orchestrators kill after ten seconds. */
const MAX_STOP_MS = 9_000
/** Ctrl-C under `npm start` signals twice: the terminal does, and npm passes on what it got. The second is an echo. */
const ECHO_MS = 500

/** Signals that ask the service to stop: a supervisor, Ctrl-C, a terminal that closes, Ctrl-\. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const

/**
 * On SIGTERM, SIGINT, SIGHUP or SIGQUIT runs `stop` once and exits: with 0 on success, with 1 if it failed or
 * took too long. A second signal exits immediately, with 1.
 */
export function stopOnSignals(stop: () => Promise<void>, log: Logger) {
  let stoppingSince: number | undefined
  for (const name of STOP_SIGNALS)
    process.on(name, () => {
      if (stoppingSince !== undefined) {
        if (performance.now() - stoppingSince > ECHO_MS) process.exit(1)
        return
      }
      stoppingSince = performance.now()
      log.info(`${name}: finishing the requests in flight`)
      setTimeout(() => {
        log.error('Stopping took too long; requests were cut off')
        process.exit(1)
      }, MAX_STOP_MS).unref()
      stop().then(
        () => {
          log.info('Stopped')
          process.exit(0)
        },
        (err: unknown) => {
          log.error({ err }, 'Stopping failed')
          process.exit(1)
        },
      )
    })
}
