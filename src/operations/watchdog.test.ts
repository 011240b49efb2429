import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNode } from '#test/node-process.ts'

/** Time, in milliseconds, of the suspension. Exceeds the watchdog's limit for a blocked event loop. */
const SUSPENDED_MS = 5_000

describe('the watchdog', () => {
  it('kills a process whose event loop is blocked and logs the reason', async () => {
    const stuck = startNode('test/support/block-event-loop.ts')
    await stuck.waitForOutput(/still there/)
    assert.equal(await stuck.ended, null)
    assert.equal(stuck.child.signalCode, 'SIGKILL')
    assert.match(stuck.errors(), /"level":"fatal".*The event loop was blocked for 2 s/)
  })

  it('does not count the time for which the process was suspended', async () => {
    const suspended = startNode('test/support/suspend-with-watchdog.ts')
    await suspended.waitForOutput(/suspending/)
    await sleep(SUSPENDED_MS)
    suspended.child.kill('SIGCONT')
    assert.equal(await suspended.ended, 0, suspended.errors())
    assert.match(suspended.output(), /still there/)
  })
})
