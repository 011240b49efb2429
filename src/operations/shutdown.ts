import type { Logger } from 'pino'

/**
 * Maximum duration of a shutdown, in milliseconds, after the configured delay. By default, orchestrators kill the
 * process after ten seconds.
 */
const MAX_STOP_MS = 9_000
/**
 * Time, in milliseconds, during which a second signal is ignored. Under `npm start`, Ctrl-C arrives twice, from the
 * terminal and from npm.
 */
const ECHO_MS = 500

/** Signals that stop the service: from a supervisor, by Ctrl-C, when the terminal closes, by Ctrl-\. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const

/**
 * On SIGTERM, SIGINT, SIGHUP or SIGQUIT, runs `stop` once and exits with 0, or with 1 if it failed or took too long. A
 * second signal exits immediately with 1.
 *
 * @param delaySeconds time that `stop` waits before it refuses connections
 * @param onHangup called on SIGHUP instead
 */
export function stopOnSignals(
  stop: () => Promise<void>,
  log: Logger,
  { delaySeconds, onHangup }: { delaySeconds: number; onHangup?: (() => void) | undefined },
) {
  let stoppingSince: number | undefined
  for (const name of STOP_SIGNALS)
    process.on(name, () => {
      if (name === 'SIGHUP' && onHangup) return onHangup()
      if (stoppingSince !== undefined) {
        if (performance.now() - stoppingSince > ECHO_MS) process.exit(1)
        return
      }
      stoppingSince = performance.now()
      log.info(`${name}: finishing the requests in flight`)
      setTimeout(
        () => {
          log.error('Stopping took too long; requests were cut off')
          process.exit(1)
        },
        delaySeconds * 1_000 + MAX_STOP_MS,
      ).unref()
      exitAfter(
        stop().then(() => log.info('Stopped')),
        log,
      )
    })
}

/** Exits with 0 once the service has stopped, or with 1 if that failed. */
export function exitAfter(stopped: Promise<void>, log: Logger) {
  stopped.then(
    () => process.exit(0),
    (err: unknown) => {
      log.error({ err }, 'Stopping failed')
      process.exit(1)
    },
  )
}
