import { startWatchdog } from '../../src/operations/watchdog.ts'

function block(milliseconds: number) {
  const until = Date.now() + milliseconds
  while (Date.now() < until);
}

/**
 * Suspends the process under a watchdog. The event loop is blocked before, so that the watchdog has seen the last beat, and
 * again after the process is resumed, so that the watchdog checks before the next beat.
 */
await startWatchdog(4)
setTimeout(() => {
  block(1_200)
  process.stdout.write('suspending\n')
  process.kill(process.pid, 'SIGSTOP')
  block(500)
  setTimeout(() => {
    process.stdout.write('still there\n')
    process.exit()
  }, 1_500)
}, 1_500)
