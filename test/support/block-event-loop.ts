import { startWatchdog } from '../../src/operations/watchdog.ts'

/** Starts the watchdog, blocks the event loop for a tolerated time, and then forever. */
await startWatchdog(2)
const until = Date.now() + 1_200
while (Date.now() < until);
process.stdout.write('still there\n')
setTimeout(() => {
  for (;;);
}, 1_500)
