import { startWatchdog } from '../../src/operations/watchdog.ts'

function block(milliseconds: number) {
  const until = Date.now() + milliseconds
  while (Date.now() < until);
}

/**
 * Suspends the process under a watchdog. Its event loop is busy before, so that the watchdog has seen its last beat, and
 * after it is resumed, so that the watchdog checks before the next one.
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
