/** Interval, in milliseconds, between checks of the parent process. */
const CHECK_INTERVAL_MS = 250

/**
 * Sends SIGTERM to this process when the shell that npm started it in has ended. Shells such as dash do not pass on the
 * SIGTERM that npm sends them, so the service would otherwise continue without npm.
 */
export function stopWithShell(): void {
  if (process.env['npm_lifecycle_event'] === undefined || process.platform === 'win32') return
  const shell = process.ppid
  const check = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(check)
    process.kill(process.pid, 'SIGTERM')
  }, CHECK_INTERVAL_MS).unref()
}
