import { spawn } from 'node:child_process'
import type { Logger } from 'pino'

/**
 * Sends notifications to systemd if it started this process with `Type=notify`.
 *
 * Node cannot send datagrams to Unix sockets, so a child process sends them: the unit needs `NotifyAccess=all`.
 */
export function notifySystemd(state: 'READY=1' | 'STOPPING=1' | 'WATCHDOG=1', log: Logger): void {
  if (!process.env['NOTIFY_SOCKET']) return
  spawn('systemd-notify', [state], { stdio: 'ignore' })
    .on('error', (err) => log.error({ err }, 'systemd cannot be notified'))
    .unref()
}

/** Sends a keepalive twice per `WatchdogSec`. systemd kills a service that stops sending it. */
export function startSystemdWatchdog(log: Logger): void {
  const limitMs = Number(process.env['WATCHDOG_USEC']) / 1_000
  if (limitMs > 0) setInterval(() => notifySystemd('WATCHDOG=1', log), limitMs / 2).unref()
}
